import { z } from "zod";
import {
  AddressHex,
  Amount,
  BlockFeeMultiplier,
  type BodyOf,
  count,
  entityShape,
  FinalizationEpoch,
  FinalizationPoint,
  Hash256,
  Height,
  Hex,
  ObjectId,
  signedShape,
  Timestamp,
  UInt32,
  UInt64,
} from "../values/scalars.js";

const NORMAL_BLOCK = 0x8143;
const IMPORTANCE_BLOCKS = [0x8043, 0x8243] as const;

const headerShape = {
  ...signedShape,
  ...entityShape,
  height: Height,
  timestamp: Timestamp,
  difficulty: UInt64.describe("Difficulty of harvesting the block."),
  proofGamma: z
    .string()
    .regex(/^[0-9A-F]{64}$/)
    .describe("Gamma of the VRF proof, 32 bytes as hex digits."),
  proofVerificationHash: z
    .string()
    .regex(/^[0-9A-F]{32}$/)
    .describe("Verification hash of the VRF proof, 16 bytes as hex digits."),
  proofScalar: z
    .string()
    .regex(/^[0-9A-F]{64}$/)
    .describe("Scalar of the VRF proof, 32 bytes as hex digits."),
  previousBlockHash: Hash256,
  transactionsHash: Hash256.describe("Root of the Merkle tree of the transactions."),
  receiptsHash: Hash256.describe("Root of the Merkle tree of the statements."),
  stateHash: Hash256.describe("Hash of the roots of all state trees after the block."),
  beneficiaryAddress: AddressHex.describe("Account that receives the beneficiary's share of the fees."),
  feeMultiplier: BlockFeeMultiplier,
};

export const BlockDTO = z
  .object({ ...headerShape, type: z.literal(NORMAL_BLOCK) })
  .meta({ id: "BlockDTO", description: "Header of a normal block (type 33091)." });

export const ImportanceBlockDTO = z
  .object({
    ...headerShape,
    type: z.literal(IMPORTANCE_BLOCKS),
    votingEligibleAccountsCount: UInt32.describe("Accounts that may vote for finalization."),
    harvestingEligibleAccountsCount: UInt64.describe("Accounts that may harvest."),
    totalVotingBalance: Amount.describe("Balance of all accounts that may vote."),
    previousImportanceBlockHash: Hash256,
  })
  .meta({
    id: "ImportanceBlockDTO",
    description: "Header of the first block (type 32835), or of an importance block (33347).",
  });

export const UnknownBlockDTO = z
  .object({ ...headerShape, bin: Hex.describe("The bytes after the common fields of the header.") })
  .meta({
    id: "UnknownBlockDTO",
    description: "Header of a block of a type or version that this program does not know.",
  });

const AnyBlock = z.union([BlockDTO, ImportanceBlockDTO, UnknownBlockDTO]);

/** The header in a block's body. */
export type BlockHeaderBody = BodyOf<typeof AnyBlock>;

export const BlockMetaDTO = z
  .object({
    hash: Hash256,
    generationHash: Hash256.describe("Determines who may harvest the next block."),
    totalFee: Amount.describe("Fees of all transactions of the block."),
    totalTransactionsCount: count.describe("Transactions, including those embedded in aggregates."),
    stateHashSubCacheMerkleRoots: z
      .array(Hash256)
      .describe("Roots of the state trees under the state hash; empty if the node did not report them."),
    transactionsCount: count.describe("Transactions, without those embedded in aggregates."),
    statementsCount: count.describe("Statements of all kinds."),
  })
  .meta({ id: "BlockMetaDTO" });

export const BlockInfoDTO = z
  .object({ id: ObjectId, meta: BlockMetaDTO, block: AnyBlock })
  .meta({ id: "BlockInfoDTO", description: "A block with its header." });

/** The REST body of a block. */
export type BlockBody = BodyOf<typeof BlockInfoDTO>;

export const BlockMessage = z
  .object({ block: AnyBlock, meta: z.object({ hash: Hash256, generationHash: Hash256 }) })
  .meta({ id: "BlockMessage", description: "Data of the channel `block`." });

export type BlockMessageBody = BodyOf<typeof BlockMessage>;

export const FinalizedBlockDTO = z
  .object({
    finalizationEpoch: FinalizationEpoch,
    finalizationPoint: FinalizationPoint,
    height: Height,
    hash: Hash256,
  })
  .meta({ id: "FinalizedBlockDTO", description: "The highest block of a finalization round." });

/** The data of `finalizedBlock`, and `latestFinalizedBlock` of `/chain/info`. */
export type FinalizedBlockBody = BodyOf<typeof FinalizedBlockDTO>;

export const DroppedBlocksMessage = z
  .object({
    height: Height.describe("Height of the last block that was kept."),
    droppedFrom: Height.describe("Lowest height that was dropped."),
    droppedTo: Height.describe("Highest height that was dropped."),
  })
  .meta({ id: "DroppedBlocksMessage", description: "Data of the channel `droppedBlocks`." });

export type DroppedBlocksBody = BodyOf<typeof DroppedBlocksMessage>;
