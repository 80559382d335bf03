import { hex } from "../entity/hex.js";

/** Bytes of the height at the start of an id. */
export const HEIGHT_BYTES = 5;
const INDEX_BYTES = 4;
const EMBEDDED_BYTES = 3;

/** Bytes of an id. */
export const ID_BYTES = HEIGHT_BYTES + INDEX_BYTES + EMBEDDED_BYTES;

/** Maximum height in an id. */
export const MAX_HEIGHT = 2 ** (8 * HEIGHT_BYTES) - 1;

/**
 * The parts of an id. `index` counts from 0 in the block; `embeddedIndex` is 0 for the entity itself, from 1 for
 * embedded ones.
 */
export interface EntityPosition {
  readonly height: number;
  readonly index: number;
  readonly embeddedIndex: number;
}

/**
 * The 12 bytes of an id; compared as bytes they sort like the chain, and a rebuild results in the same ones.
 * @throws RangeError when a part is out of range
 */
export function encodeEntityId(height: number, index = 0, embeddedIndex = 0): Buffer {
  const id = Buffer.alloc(ID_BYTES);
  id.writeUIntBE(height, 0, HEIGHT_BYTES);
  id.writeUIntBE(index, HEIGHT_BYTES, INDEX_BYTES);
  id.writeUIntBE(embeddedIndex, HEIGHT_BYTES + INDEX_BYTES, EMBEDDED_BYTES);
  return id;
}

/** The position encoded in 12 bytes. */
export function decodeEntityId(id: Buffer): EntityPosition {
  if (id.length !== ID_BYTES) throw new RangeError(`An id has ${ID_BYTES} bytes, not ${id.length}`);
  return {
    height: id.readUIntBE(0, HEIGHT_BYTES),
    index: id.readUIntBE(HEIGHT_BYTES, INDEX_BYTES),
    embeddedIndex: id.readUIntBE(HEIGHT_BYTES + INDEX_BYTES, EMBEDDED_BYTES),
  };
}

/** Bits of the parts of an id in its stored form: height (31), index in block, index in aggregate. */
const NUMBER_HEIGHT_BITS = 31;
const NUMBER_INDEX_BITS = 20;
const NUMBER_EMBEDDED_BITS = 12;
const NUMBER_LOW_BITS = BigInt(NUMBER_INDEX_BITS + NUMBER_EMBEDDED_BITS);
const EMBEDDED_RANGE = 2 ** NUMBER_EMBEDDED_BITS;

/** Maximum height of a stored id. */
export const MAX_STORED_HEIGHT = 2 ** NUMBER_HEIGHT_BITS - 1;
/** The greatest stored id. */
const MAX_NUMBER = 2n ** 63n - 1n;

/**
 * The stored form of an id: 63 bits that sort like the 12 bytes.
 * @throws RangeError when a part is out of range: at most 2^20 entities in a block, and 4,095 in an aggregate
 */
export function entityNumber(height: number, index = 0, embeddedIndex = 0): bigint {
  if (
    !(height >= 0 && height <= MAX_STORED_HEIGHT && index < 2 ** NUMBER_INDEX_BITS && embeddedIndex < EMBEDDED_RANGE)
  ) {
    throw new RangeError(
      `No id for entity ${index}, embedded ${embeddedIndex}, of block ${height}: it is out of range`,
    );
  }
  return (BigInt(height) << NUMBER_LOW_BITS) + BigInt(index * EMBEDDED_RANGE + embeddedIndex);
}

/** The position in a stored id. */
export function decodeEntityNumber(number: bigint): EntityPosition {
  const low = Number(BigInt.asUintN(Number(NUMBER_LOW_BITS), number));
  const embeddedIndex = low % EMBEDDED_RANGE;
  return { height: Number(number >> NUMBER_LOW_BITS), index: (low - embeddedIndex) / EMBEDDED_RANGE, embeddedIndex };
}

/** The 12 bytes of a stored id. */
export function encodeEntityNumber(number: bigint): Buffer {
  const { height, index, embeddedIndex } = decodeEntityNumber(number);
  return encodeEntityId(height, index, embeddedIndex);
}

/** The lowest stored id that is not below 12 bytes, which may be any. */
export function numberFrom(id: Buffer): bigint {
  const { height, index, embeddedIndex } = decodeEntityId(id);
  if (height > MAX_STORED_HEIGHT) return MAX_NUMBER;
  if (index >= 2 ** NUMBER_INDEX_BITS) return atMostMax(entityNumber(height) + (1n << NUMBER_LOW_BITS));
  return atMostMax(entityNumber(height, index) + BigInt(Math.min(embeddedIndex, EMBEDDED_RANGE)));
}

/** PostgreSQL's integers end there. No entity has that id: it would be in the last block of all, and the last in it. */
function atMostMax(number: bigint): bigint {
  return number < MAX_NUMBER ? number : MAX_NUMBER;
}

/** The stored id of 12 bytes; undefined if no stored id has these. */
export function parseEntityNumber(id: Buffer): bigint | undefined {
  const number = numberFrom(id);
  return encodeEntityNumber(number).equals(id) ? number : undefined;
}

/** The lowest stored id that is above 12 bytes, which may be any. */
export function numberAfter(id: Buffer): bigint {
  return parseEntityNumber(id) === undefined ? numberFrom(id) : atMostMax(numberFrom(id) + 1n);
}

/** 24 upper-case hex digits, the form in REST. */
export function formatEntityId(id: Buffer): string {
  return hex(id);
}

/** The bytes of 24 hex digits, or undefined for an invalid id. */
export function parseEntityId(text: string): Buffer | undefined {
  return /^[0-9a-fA-F]{24}$/.test(text) ? Buffer.from(text, "hex") : undefined;
}
