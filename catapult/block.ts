import { models } from "symbol-sdk/symbol";
import { addressOfPublicKey } from "./address.js";
import { EntityError } from "./entity-error.js";
import { BLOCK, BLOCK_TYPE, blockHeaderSize, paddingSize, TRANSACTION, VERIFIABLE } from "./entity-layout.js";
import { blockHash, generationHash } from "./hashes.js";
import type { Block, BlockTransaction, NetworkIdentity } from "./model.js";
import { aligned, decodeTransaction, requireNetwork, requireZeros } from "./transaction.js";
import { clearUnhashedBytes, type UnhashedBytes } from "./unhashed-bytes.js";

const BLOCK_CLASSES = {
  [BLOCK_TYPE.nemesis]: models.NemesisBlockV1,
  [BLOCK_TYPE.normal]: models.NormalBlockV1,
  [BLOCK_TYPE.importance]: models.ImportanceBlockV1,
} as const;

/** A block entity as `symbol-sdk` models it. */
export type BlockEntity = models.NemesisBlockV1 | models.NormalBlockV1 | models.ImportanceBlockV1;

/** A number that is written in 8 bytes. Throws `EntityError` when it is too large to be exact. */
function safeNumber(value: bigint, field: string): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new EntityError(field, `${value} is too large`);
  return Number(value);
}

function decodeHeader(bytes: Buffer, headerSize: number): BlockEntity {
  const header = Buffer.alloc(headerSize);
  bytes.copy(header, 0, 0, headerSize);
  header.writeUInt32LE(headerSize, VERIFIABLE.size);
  const type = bytes.readUInt16LE(VERIFIABLE.type) as keyof typeof BLOCK_CLASSES;
  try {
    return BLOCK_CLASSES[type].deserialize(aligned(header));
  } catch (error) {
    throw new EntityError("block", `cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function checkHeader(bytes: Buffer, network: NetworkIdentity): number {
  if (bytes.length < BLOCK.normalHeaderSize)
    throw new EntityError("block.size", `${bytes.length} bytes are no block, which has at least 376`);
  const type = bytes.readUInt16LE(VERIFIABLE.type);
  const headerSize = blockHeaderSize(type);
  if (headerSize === undefined) throw new EntityError("block.type", `0x${type.toString(16)} is no type of a block`);
  if (bytes.length < headerSize) throw new EntityError("block.size", `${bytes.length} is less than its header`);
  requireZeros(bytes, VERIFIABLE.headerReserved, VERIFIABLE.signature, "block.reserved");
  requireZeros(bytes, VERIFIABLE.bodyReserved, VERIFIABLE.version, "block.reserved");
  if (bytes[VERIFIABLE.version] !== 1)
    throw new EntityError("block.version", `${bytes[VERIFIABLE.version]} is unknown`);
  requireNetwork(bytes[VERIFIABLE.network], network, "block");
  if (type === BLOCK_TYPE.normal) requireZeros(bytes, BLOCK.footer, BLOCK.normalHeaderSize, "block.footer");
  return headerSize;
}

function decodeTransactions(
  bytes: Buffer,
  headerSize: number,
  height: number,
  network: NetworkIdentity,
  unhashedBytes: UnhashedBytes,
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
    transactions.push(decodeTransaction(bytes.subarray(start, end), network, { index, height, path, unhashedBytes }));
    // The last transaction of a block needs no padding.
    start = end === bytes.length ? end : end + paddingSize(size);
    if (start > bytes.length) throw new EntityError(`${path}.padding`, "ends behind the block");
    requireZeros(bytes, end, start, `${path}.padding`);
  }
  return transactions;
}

/**
 * Decodes a block with its transactions, which fill `bytes` exactly; hashes are computed, but nothing is compared with the
 * header and no signature is checked (see `verify.ts`).
 * Throws `EntityError`, naming the field, on any malformed input: a size that does not fit, an unknown type or version,
 * another network's byte, bytes that are not zero where zeros belong (unless `clear` is asked for, see `UnhashedBytes`).
 */
export function decodeBlock(bytes: Buffer, network: NetworkIdentity, unhashedBytes: UnhashedBytes = "refuse"): Block {
  const own = unhashedBytes === "clear" ? clearUnhashedBytes(bytes) : aligned(bytes);
  if (own.length < 4) throw new EntityError("block.size", `${own.length} bytes are no block`);
  const size = own.readUInt32LE(VERIFIABLE.size);
  if (size !== own.length) throw new EntityError("block.size", `is ${size}, but there are ${own.length} bytes`);
  const headerSize = checkHeader(own, network);
  const entity = decodeHeader(own, headerSize);
  const height = safeNumber(entity.height.value as bigint, "block.height");
  const timestamp = safeNumber(entity.timestamp.value as bigint, "block.timestamp");
  const transactions = decodeTransactions(own, headerSize, height, network, unhashedBytes);
  entity.transactions = transactions.map((transaction) => transaction.entity);
  const signerPublicKey = own.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
  return {
    bytes: own,
    entity,
    height,
    timestamp,
    difficulty: entity.difficulty.value as bigint,
    feeMultiplier: entity.feeMultiplier.value as number,
    hash: blockHash(own),
    generationHash: generationHash(own),
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
