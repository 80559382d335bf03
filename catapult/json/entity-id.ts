import { hex } from "../entity/hex.js";

const HEIGHT_BYTES = 5;
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

/** 24 upper-case hex digits, the form in REST. */
export function formatEntityId(id: Buffer): string {
  return hex(id);
}

/** The bytes of 24 hex digits, or undefined for an invalid id. */
export function parseEntityId(text: string): Buffer | undefined {
  return /^[0-9a-fA-F]{24}$/.test(text) ? Buffer.from(text, "hex") : undefined;
}
