import {
  AGGREGATE,
  BLOCK,
  BLOCK_TYPE,
  blockHeaderSize,
  EMBEDDED,
  isAggregateType,
  paddingSize,
  TRANSACTION,
  VERIFIABLE,
} from "./entity-layout.js";

/**
 * What to do with bytes that should be zero and that neither a hash nor a node's check covers: reserved fields, and padding
 * behind transactions. `refuse` takes them for malformed input. `clear` reads them as zeros: anybody can announce a
 * transaction with such bytes, nodes put it into a block, and the block is as valid as with zeros.
 */
export type UnhashedBytes = "refuse" | "clear";

function clearTransaction(bytes: Buffer): void {
  bytes.fill(0, VERIFIABLE.headerReserved, VERIFIABLE.signature);
  bytes.fill(0, VERIFIABLE.bodyReserved, VERIFIABLE.version);
  if (!isAggregateType(bytes.readUInt16LE(VERIFIABLE.type)) || bytes.length < AGGREGATE.headerSize) return;
  bytes.fill(0, AGGREGATE.reserved, AGGREGATE.headerSize);
  const payloadEnd = Math.min(AGGREGATE.headerSize + bytes.readUInt32LE(AGGREGATE.payloadSize), bytes.length);
  clearPadding(bytes, AGGREGATE.headerSize, payloadEnd, EMBEDDED.headerSize, () => {});
}

/**
 * A copy of one top-level transaction in which the bytes that nothing covers are zero; see {@link clearUnhashedBytes}.
 * Malformed ones are copied as far as they can be followed, for `decodeTransaction` to refuse. Never throws.
 */
export function clearUnhashedTransactionBytes(transaction: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(transaction.length);
  transaction.copy(copy);
  if (copy.length >= TRANSACTION.headerSize) clearTransaction(copy);
  return copy;
}

/** Clears what follows each of the size-prefixed things in a range, as far as their sizes make sense. */
function clearPadding(
  bytes: Buffer,
  start: number,
  end: number,
  leastSize: number,
  visit: (one: Buffer) => void,
): void {
  let offset = start;
  while (offset + leastSize <= end) {
    const size = bytes.readUInt32LE(offset);
    const next = offset + size + paddingSize(size);
    if (size < leastSize || offset + size > end) return;
    visit(bytes.subarray(offset, offset + size));
    bytes.fill(0, offset + size, Math.min(next, end));
    offset = next;
  }
}

/**
 * A copy of a block in which the bytes that nothing covers are zero. It has the same hashes and signatures.
 * Malformed blocks are copied as far as they can be followed, for `decodeBlock` to refuse. Never throws.
 */
export function clearUnhashedBytes(block: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(block.length);
  block.copy(copy);
  if (copy.length < BLOCK.normalHeaderSize) return copy;
  const type = copy.readUInt16LE(VERIFIABLE.type);
  const headerSize = blockHeaderSize(type);
  if (headerSize === undefined) return copy;
  copy.fill(0, VERIFIABLE.headerReserved, VERIFIABLE.signature);
  copy.fill(0, VERIFIABLE.bodyReserved, VERIFIABLE.version);
  if (type === BLOCK_TYPE.normal) copy.fill(0, BLOCK.footer, BLOCK.normalHeaderSize);
  clearPadding(copy, headerSize, copy.length, TRANSACTION.headerSize, clearTransaction);
  return copy;
}
