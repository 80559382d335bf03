import { models } from "symbol-sdk/symbol";
import { addressOfPublicKey } from "./address.js";
import { EntityError } from "./entity-error.js";
import {
  BLOCK,
  BLOCK_TYPE,
  BLOCK_VERSION,
  blockHeaderSize,
  paddingSize,
  TRANSACTION,
  VERIFIABLE,
} from "./entity-layout.js";
import { aligned, readableForm, restoreNetwork } from "./entity-reader.js";
import { blockHash, generationHash } from "./hashes.js";
import { merkleRoot } from "./merkle.js";
import type { Block, BlockTransaction, NetworkIdentity } from "./model.js";
import { decodeTransaction } from "./transaction.js";

/** A block entity as `symbol-sdk` models it. */
export type BlockEntity = models.NemesisBlockV1 | models.NormalBlockV1 | models.ImportanceBlockV1;

/** A number that is written in 8 bytes. Throws `EntityError` when it is too large to be exact. */
function safeNumber(value: bigint, field: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new EntityError(field, `${value} is too large`);
  return Number(value);
}

/**
 * Reads a header as `symbol-sdk` models it. One of an unknown type or version is read as the known type with a header of
 * that size, and keeps its own type and version: what follows the common fields means nothing then (see `isKnownBlock`).
 */
function decodeHeader(bytes: Buffer, headerSize: number): BlockEntity {
  const header = Buffer.alloc(headerSize);
  bytes.copy(header, 0, 0, headerSize);
  header.writeUInt32LE(headerSize, VERIFIABLE.size);
  const type = bytes.readUInt16LE(VERIFIABLE.type);
  const entityClass = classOf(type, headerSize);
  header.writeUInt16LE(entityClass.BLOCK_TYPE.value, VERIFIABLE.type);
  if (headerSize === BLOCK.normalHeaderSize) header.fill(0, BLOCK.footer);
  let entity: BlockEntity;
  try {
    entity = entityClass.deserialize(readableForm(header, VERIFIABLE));
  } catch (error) {
    throw new EntityError("block", `cannot be read: ${(error as Error).message}`, { cause: error });
  }
  if (entity.type.value !== type) entity.type = new models.BlockType(type);
  return restoreNetwork(entity, bytes.readUInt8(VERIFIABLE.network));
}

function classOf(type: number, headerSize: number) {
  if (type === BLOCK_TYPE.nemesis) return models.NemesisBlockV1;
  return headerSize === BLOCK.normalHeaderSize ? models.NormalBlockV1 : models.ImportanceBlockV1;
}

/** Whether this program knows what all fields of a block's header mean. */
export function isKnownBlock({ type, version }: models.Block): boolean {
  return blockHeaderSize(type.value) !== undefined && version === BLOCK_VERSION;
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
    if (start > bytes.length) throw new EntityError(`${path}.padding`, "ends behind the block");
  }
  return transactions;
}

/** The bytes of a header, and the transactions behind it. */
interface BlockParts {
  readonly headerSize: number;
  readonly transactions: readonly BlockTransaction[];
}

/**
 * Takes a block apart. The header of an unknown type may have either size that headers have today: it is the one behind
 * which there are transactions with the hash in the header.
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
  const problem = `gives no other, and 0x${type.toString(16)} is no type whose header is known`;
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
 * Decodes a block with its transactions, which fill `bytes` exactly; hashes are computed, but nothing is compared with the
 * header and no signature is checked (see `verify.ts`). Consensus decides what may be in the fields, not this program:
 * bytes that no rule covers are not looked at, and what is of an unknown type or version is read as far as its header.
 * Throws `EntityError`, naming the field, on sizes that do not add up, and heights and timestamps too large to be exact.
 */
export function decodeBlock(bytes: Buffer, network: NetworkIdentity): Block {
  const own = aligned(bytes);
  if (own.length < BLOCK.normalHeaderSize)
    throw new EntityError("block.size", `${own.length} bytes are no block, which has at least 376`);
  const size = own.readUInt32LE(VERIFIABLE.size);
  if (size !== own.length) throw new EntityError("block.size", `is ${size}, but there are ${own.length} bytes`);
  const height = safeNumber(own.readBigUInt64LE(BLOCK.height), "block.height");
  const timestamp = safeNumber(own.readBigUInt64LE(BLOCK.timestamp), "block.timestamp");
  const { headerSize, transactions } = decodeParts(own, height, network);
  const entity = decodeHeader(own, headerSize);
  entity.transactions = transactions.map((transaction) => transaction.entity);
  const signerPublicKey = own.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
  let generation: Buffer | undefined;
  return {
    bytes: own,
    headerSize,
    entity,
    height,
    timestamp,
    difficulty: entity.difficulty.value as bigint,
    feeMultiplier: entity.feeMultiplier.value as number,
    hash: blockHash(own, headerSize),
    // Computed when it is used: it takes a seventh of a millisecond, and executing a block does not need it.
    get generationHash() {
      generation ??= generationHash(own);
      return generation;
    },
    previousHash: Buffer.from(entity.previousBlockHash.bytes),
    signerPublicKey,
    signerAddress: addressOfPublicKey(signerPublicKey, network.identifier),
    beneficiaryAddress: Buffer.from(entity.beneficiaryAddress.bytes),
    transactions,
  };
}

/**
 * What a block adds to the chain's score: its difficulty less the seconds since its parent, and 0 unless it is later.
 * Source: catapult's `chain/BlockScorer`. Timestamps are in milliseconds.
 */
export function blockScore(
  parent: { readonly timestamp: number },
  block: { readonly timestamp: number; readonly difficulty: bigint },
) {
  if (block.timestamp <= parent.timestamp) return 0n;
  return block.difficulty - BigInt(Math.floor((block.timestamp - parent.timestamp) / 1000));
}

/** The sum of the fees (atomic units) that a block's transactions pay: each its size times the block's fee multiplier. */
export function totalFee(block: Block): bigint {
  const size = block.transactions.reduce((sum, transaction) => sum + transaction.bytes.length, 0);
  return BigInt(size) * BigInt(block.feeMultiplier);
}

/** What the nemesis block adds to the chain's score. */
export const NEMESIS_SCORE = 1n;
