import { merkleRoot } from "../../catapult/crypto/merkle.js";
import { signData } from "../../catapult/crypto/signature.js";
import { blockHash, blockSigningBytes, sha3, sha3OfMany } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity, ReceiptSource } from "../../catapult/entity/model.js";
import { decodeStatement, statementHashes } from "../../catapult/entity/statement.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { BLOCK_TYPE, RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { writeBlock } from "../../devnet/chain/block-layout.js";
import type { ServedBlock } from "./branch-node.js";

/** Receipts of one source, each with its size first. */
export interface MadeReceipts {
  readonly source: ReceiptSource;
  readonly receipts: readonly Buffer[];
}

/** A block whose hashes and signatures are valid; the results of its execution are invented unless they are given. */
export interface BlockToMake {
  readonly network: NetworkIdentity;
  readonly harvester: { readonly publicKey: Buffer; readonly privateKey: Buffer; readonly address: Buffer };
  readonly height: number;
  /** Ms since the network's epoch; default 30 s for each block. */
  readonly timestamp?: number;
  /** Hash of the block before; zeros for the first. */
  readonly previousHash: Buffer;
  /** Signed, in their order. */
  readonly transactions: readonly Buffer[];
  /** Atomic units per byte; default 1. */
  readonly feeMultiplier?: number;
  readonly currency: bigint;
  /** After the receipt of the fees, in ascending order of sources. */
  readonly receipts?: readonly MadeReceipts[];
  /** After the counts and transaction statements: address resolutions, then mosaic resolutions, each with its count. */
  readonly resolutions?: Buffer;
  /** Whether the header has the footer of importance blocks, as the first block's has. */
  readonly hasFigures?: boolean;
  /** In place of the receipts and resolutions above. */
  readonly statement?: Buffer;
  /** The roots under the state hash; invented by default. */
  readonly roots?: readonly Buffer[];
  readonly stateHash?: Buffer;
  /** Changes the block's header before it is signed. Returns its new size if it is of an unknown type. */
  readonly change?: (block: Buffer) => number | undefined;
}

const BLOCK_MS = 30_000;
const SUB_CACHES = 9;
const NO_RESOLUTIONS = Buffer.alloc(8);

/** Creates a block in the node's own bytes. */
export function makeBlock(made: BlockToMake): ServedBlock & { readonly hash: Buffer } {
  const { network, harvester, height, transactions, feeMultiplier = 1 } = made;
  const size = transactions.reduce((sum, { length }) => sum + length, 0);
  const fee = receipt(RECEIPT_TYPE.harvest_fee, [
    id(made.currency),
    id(BigInt(size * feeMultiplier)),
    harvester.address,
  ]);
  const fees = { source: { primaryId: 0, secondaryId: 0 }, receipts: [fee] };
  const statement =
    made.statement ?? writeStatement([fees, ...(made.receipts ?? [])], made.resolutions ?? NO_RESOLUTIONS);
  const leaves = transactions.map(
    (bytes) => decodeTransaction(bytes, network, { reading: "accepted" }).merkleComponentHash,
  );
  const isFirst = height === 1;
  const roots =
    made.roots ?? Array.from({ length: SUB_CACHES }, (_, index) => sha3(Buffer.from(`root ${height} ${index}`)));
  const noFigures = {
    votingEligibleAccountsCount: 0,
    harvestingEligibleAccountsCount: 0n,
    totalVotingBalance: 0n,
    previousImportanceBlockHash: Buffer.alloc(32),
  };
  const sign = (data: Buffer) => signData(harvester.privateKey, data);
  const block = writeBlock(
    {
      type: isFirst ? BLOCK_TYPE.nemesis : made.hasFigures ? BLOCK_TYPE.importance : BLOCK_TYPE.normal,
      network: network.identifier,
      height,
      timestamp: made.timestamp ?? height * BLOCK_MS,
      difficulty: 100_000_000_000_000n,
      generationHashProof: Buffer.alloc(80),
      previousBlockHash: made.previousHash,
      transactionsHash: merkleRoot(leaves),
      receiptsHash: merkleRoot(statementHashes(decodeStatement(statement))),
      stateHash: made.stateHash ?? sha3OfMany(roots),
      beneficiaryAddress: harvester.address,
      feeMultiplier,
      footer: isFirst || made.hasFigures ? noFigures : undefined,
      transactions,
    },
    { ...harvester, sign },
  );
  const headerSize = made.change?.(block);
  sign(blockSigningBytes(block, headerSize)).copy(block, 8);
  return { block, statement, hash: blockHash(block, headerSize) };
}

/** A receipt of any type. */
export function receipt(type: number, parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(8), ...parts]);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(1, 4);
  bytes.writeUInt16LE(type, 6);
  return bytes;
}

/** 8 bytes of an id or an amount. */
export function id(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** The target of an address: the part of a statement after the transaction statements, without mosaic resolutions. */
export function addressResolutions(
  resolutions: readonly {
    readonly unresolved: Buffer;
    readonly entries: readonly (readonly [primaryId: number, secondaryId: number, resolved: Buffer])[];
  }[],
): Buffer {
  const parts = resolutions.flatMap(({ unresolved, entries }) => [
    unresolved,
    counts(entries.length),
    ...entries.flatMap(([primaryId, secondaryId, resolved]) => [counts(primaryId, secondaryId), resolved]),
  ]);
  return Buffer.concat([counts(resolutions.length), ...parts, counts(0)]);
}

function writeStatement(groups: readonly MadeReceipts[], resolutions: Buffer): Buffer {
  const parts = groups.flatMap(({ source, receipts }) => [
    counts(source.primaryId, source.secondaryId, receipts.length),
    ...receipts,
  ]);
  return Buffer.concat([counts(groups.length), ...parts, resolutions]);
}

function counts(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => {
    bytes.writeUInt32LE(value, 4 * index);
  });
  return bytes;
}
