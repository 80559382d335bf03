import { z } from "zod";
import * as codec from "../values/codecs.js";
import { field, number, uint32, unused } from "../values/codecs.js";
import {
  Amount,
  BlockFeeMultiplier,
  type BodyOf,
  count,
  FinalizationEpoch,
  FinalizationPoint,
  Hash256,
  Height,
  Hex,
  ObjectId,
  Timestamp,
  UInt32,
} from "../values/scalars.js";
import { describedFields, type JsonOf, makeShape, type Struct } from "../values/struct.js";
import { SIGNED, typeIn } from "./header.js";
import { BLOCK_TYPE } from "./type-names.js";

const hexSchema = (size: number) =>
  codec.hexBytes(size, z.string().regex(new RegExp(`^[0-9A-F]{${2 * size}}$`)), "Hex");

const COMMON = {
  ...SIGNED,
  signerPublicKey: field(
    codec.publicKey,
    "Public key that signed the block; with delegated harvesting the key of a remote account.",
  ),
  type: field(SIGNED.type, "Block type: 32835 nemesis, 33091 normal, 33347 importance."),
  height: field(codec.decimalDigits(Height, "SafeInt"), "Height of the block."),
  timestamp: field(
    codec.decimalDigits(Timestamp, "SafeInt"),
    "Time of the block, in milliseconds since the network's epoch adjustment.",
  ),
  difficulty: field(codec.decimal, "Difficulty of harvesting the block."),
  proofGamma: field(hexSchema(32), "Gamma of the VRF proof, 32 bytes as hex digits."),
  proofVerificationHash: field(hexSchema(16), "Verification hash of the VRF proof, 16 bytes as hex digits."),
  proofScalar: field(hexSchema(32), "Scalar of the VRF proof, 32 bytes as hex digits."),
  previousBlockHash: field(codec.hash, "Hash of the block before."),
  transactionsHash: field(codec.hash, "Root of the Merkle tree of the transactions."),
  receiptsHash: field(codec.hash, "Root of the Merkle tree of the statements."),
  stateHash: field(codec.hash, "Hash of the roots of all state trees after the block."),
  beneficiaryAddress: field(codec.address, "Account that receives the beneficiary's share of the fees."),
  feeMultiplier: field(
    number(uint32, BlockFeeMultiplier, "SafeInt"),
    "Fee for each byte of a transaction in the block, in atomic units of the currency.",
  ),
};

/** The header of a normal block. Source: the catbuffer schema `block.cats`. */
export const BLOCK_HEADER = {
  fields: { ...COMMON, reserved: unused(4) },
} as const satisfies Struct;

/** The header of the nemesis block, and of importance blocks. */
export const IMPORTANCE_BLOCK_HEADER = {
  fields: {
    ...COMMON,
    votingEligibleAccountsCount: field(
      number(uint32, UInt32, "SafeInt"),
      "Accounts that may vote for finalization; of the nemesis block and importance blocks only.",
    ),
    harvestingEligibleAccountsCount: field(codec.decimal, "Accounts that may harvest."),
    totalVotingBalance: field(codec.amount, "Balance of all accounts that may vote, in atomic units of the currency."),
    previousImportanceBlockHash: field(codec.hash, "Hash of the block at which importances were calculated before."),
  },
} as const satisfies Struct;

const headerShape = makeShape(describedFields(BLOCK_HEADER));

const BlockDTO = z
  .object({ ...headerShape, type: typeIn(BLOCK_TYPE.normal) })
  .meta({ id: "BlockDTO", description: "Header of a normal block (type 33091)." });

const ImportanceBlockDTO = z
  .object({
    ...makeShape(describedFields(IMPORTANCE_BLOCK_HEADER)),
    type: typeIn(BLOCK_TYPE.nemesis, BLOCK_TYPE.importance),
  })
  .meta({
    id: "ImportanceBlockDTO",
    description: "Header of the first block (type 32835), or of an importance block (33347).",
  });

const UnknownBlockDTO = z
  .object({ ...headerShape, bin: Hex.describe("The bytes after the common fields of the header.") })
  .meta({
    id: "UnknownBlockDTO",
    description: "Header of a block of a type or version that this program does not know.",
  });

/** The members of all headers. */
export type CommonHeader = JsonOf<typeof BLOCK_HEADER>;
/** The header in a block's body. */
export type BlockHeaderBody =
  | CommonHeader
  | JsonOf<typeof IMPORTANCE_BLOCK_HEADER>
  | (CommonHeader & { readonly bin: string });

const AnyBlock = z.union([BlockDTO, ImportanceBlockDTO, UnknownBlockDTO]) as unknown as z.ZodType<BlockHeaderBody>;
const block = AnyBlock.describe("Header of the block.");

export const BlockMetaDTO = z
  .object({
    hash: Hash256.describe("Hash of the block."),
    generationHash: Hash256.describe("Determines who may harvest the next block."),
    totalFee: Amount.describe("Fees of all transactions of the block."),
    totalTransactionsCount: count.describe("Transactions, including those embedded in aggregates."),
    stateHashSubCacheMerkleRoots: z
      .array(Hash256)
      .describe("Roots of the state trees under the state hash; empty if the node did not report them."),
    transactionsCount: count.describe("Transactions, without those embedded in aggregates."),
    statementsCount: count.describe("Statements of all kinds."),
  })
  .meta({ id: "BlockMetaDTO", description: "What is known about it besides its own bytes." });

export const BlockInfoDTO = z
  .object({ id: ObjectId, meta: BlockMetaDTO, block })
  .meta({ id: "BlockInfoDTO", description: "A block with its header." });

/** The REST body of a block. */
export type BlockBody = BodyOf<typeof BlockInfoDTO>;

export const BlockMessage = z
  .object({
    block,
    meta: z
      .object({
        hash: Hash256.describe("Hash of the block."),
        generationHash: Hash256.describe("Determines who may harvest the next block."),
      })
      .describe("What is known about it besides its own bytes."),
  })
  .meta({ id: "BlockMessage", description: "Data of the channel `block`." });

export type BlockMessageBody = BodyOf<typeof BlockMessage>;

export const FinalizedBlockDTO = z
  .object({
    finalizationEpoch: FinalizationEpoch,
    finalizationPoint: FinalizationPoint,
    height: Height.describe("Height of the block."),
    hash: Hash256.describe("Hash of the block."),
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
