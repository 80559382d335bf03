import { merkleRoot } from "../crypto/merkle.js";
import { addressOfPublicKey } from "./address.js";
import { BlockEntity, blockHeaderSize } from "./block-entity.js";
import { EntityError } from "./entity-error.js";
import { BLOCK, paddingSize, TRANSACTION, VERIFIABLE } from "./entity-layout.js";
import { blockHash, generationHash } from "./hashes.js";
import type { Block, BlockTransaction, NetworkIdentity } from "./model.js";
import { decodeTransaction } from "./transaction.js";

/** A number of 8 bytes. Throws `EntityError` when it is too large to be exact. */
function safeNumber(value: bigint, field: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new EntityError(field, `${value} is too large`);
  return Number(value);
}

function decodeTransactions(
  bytes: Buffer,
  headerSize: number,
  height: number,
  network: NetworkIdentity,
): BlockTransaction[] {
  const transactions: BlockTransaction[] = [];
  let start = headerSize;
  while (start < bytes.length) {
    const path = `transactions[${transactions.length}]`;
    const left = bytes.length - start;
    const size = left < TRANSACTION.headerSize ? 0 : bytes.readUInt32LE(start);
    if (size < TRANSACTION.headerSize || size > left)
      throw new EntityError(`${path}.size`, `is ${size} with ${left} bytes of the block left`);
    const end = start + size;
    const index = transactions.length;
    transactions.push(
      decodeTransaction(bytes.subarray(start, end), network, { index, height, path, reading: "accepted" }),
    );
    // The last transaction of a block needs no padding.
    start = end === bytes.length ? end : end + paddingSize(size);
    if (start > bytes.length) throw new EntityError(`${path}.padding`, "exceeds the block");
  }
  return transactions;
}

/** The bytes of a header, and the transactions after it. */
interface BlockParts {
  readonly headerSize: number;
  readonly transactions: readonly BlockTransaction[];
}

/**
 * Splits a block. The header of an unknown type may have either known size: the one after which the transactions
 * match the hash in the header.
 */
function decodeParts(bytes: Buffer, height: number, network: NetworkIdentity): BlockParts {
  const type = bytes.readUInt16LE(VERIFIABLE.type);
  const knownSize = blockHeaderSize(type);
  const parts = (headerSize: number): BlockParts => {
    if (bytes.length < headerSize) throw new EntityError("block.size", `${bytes.length} is less than its header`);
    return { headerSize, transactions: decodeTransactions(bytes, headerSize, height, network) };
  };
  if (knownSize !== undefined) return parts(knownSize);
  const { transactionsHash } = BLOCK;
  const claimed = bytes.subarray(transactionsHash, transactionsHash + 32);
  for (const headerSize of [BLOCK.normalHeaderSize, BLOCK.importanceHeaderSize]) {
    const found = orUndefined(() => parts(headerSize));
    const root = merkleRoot(found?.transactions.map(({ merkleComponentHash }) => merkleComponentHash) ?? []);
    if (found && root.equals(claimed)) return found;
  }
  const problem = `matches neither header size, and 0x${type.toString(16)} is not a known block type`;
  throw new EntityError("transactionsHash", problem);
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof EntityError) return undefined;
    throw error;
  }
}

/**
 * Decodes a block with its transactions, which fill `bytes` exactly; hashes are computed, but nothing is compared
 * with the header and no signature is verified (see `verify.ts`). The contents of fields are up to consensus, not
 * this program: bytes without a rule are ignored, and entities of an unknown type or version are decoded up to their
 * header. Throws `EntityError`, naming the field, for sizes that do not add up, and for heights and timestamps too
 * large to be exact.
 */
export function decodeBlock(bytes: Buffer, network: NetworkIdentity): Block {
  if (bytes.length < BLOCK.normalHeaderSize)
    throw new EntityError("block.size", `${bytes.length} bytes are not a block, which has at least 376`);
  const size = bytes.readUInt32LE(VERIFIABLE.size);
  if (size !== bytes.length) throw new EntityError("block.size", `is ${size}, but there are ${bytes.length} bytes`);
  const height = safeNumber(bytes.readBigUInt64LE(BLOCK.height), "block.height");
  const timestamp = safeNumber(bytes.readBigUInt64LE(BLOCK.timestamp), "block.timestamp");
  const { headerSize, transactions } = decodeParts(bytes, height, network);
  const entity = new BlockEntity(bytes);
  let generation: Buffer | undefined;
  return {
    bytes,
    headerSize,
    entity,
    height,
    timestamp,
    difficulty: entity.difficulty,
    feeMultiplier: entity.feeMultiplier,
    hash: blockHash(bytes, headerSize),
    // Computed when it is used: it takes a seventh of a millisecond, and executing a block does not need it.
    get generationHash() {
      generation ??= generationHash(bytes);
      return generation;
    },
    previousHash: Buffer.from(entity.previousBlockHash),
    signerPublicKey: entity.signerPublicKey,
    signerAddress: addressOfPublicKey(entity.signerPublicKey, network.identifier),
    beneficiaryAddress: Buffer.from(entity.beneficiaryAddress),
    transactions,
  };
}

/**
 * A block's contribution to the chain's score: its difficulty minus the seconds since its parent, or 0 if it is not
 * later. Source: catapult's `chain/BlockScorer`. Timestamps are in milliseconds.
 */
export function blockScore(
  parent: { readonly timestamp: number },
  block: { readonly timestamp: number; readonly difficulty: bigint },
) {
  if (block.timestamp <= parent.timestamp) return 0n;
  return block.difficulty - BigInt(Math.floor((block.timestamp - parent.timestamp) / 1000));
}

/**
 * The fee of a transaction, in atomic units: its size in bytes times the fee multiplier of its block. The sum of the
 * sizes of several gives the sum of their fees. Queries compute the same in SQL: see `FEES`.
 */
export function computeFee(size: number, feeMultiplier: number): bigint {
  return BigInt(size) * BigInt(feeMultiplier);
}

/** The sum of the fees (atomic units) paid by a block's transactions. */
export function totalFee({
  transactions,
  feeMultiplier,
}: {
  readonly transactions: readonly { readonly bytes: Buffer }[];
  readonly feeMultiplier: number;
}): bigint {
  return computeFee(
    transactions.reduce((sum, { bytes }) => sum + bytes.length, 0),
    feeMultiplier,
  );
}

/** Number of transactions in a block, including embedded ones. */
export function totalTransactionsCount(block: Block): number {
  return block.transactions.reduce((sum, transaction) => sum + 1 + transaction.embedded.length, 0);
}

/** The nemesis block's contribution to the chain's score. */
export const NEMESIS_SCORE = 1n;
