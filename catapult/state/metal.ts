import { EntityError } from "../entity/entity-error.js";
import { sha3 } from "../entity/hashes.js";

/*
 * Metal: files in metadata entries. A file is split into chunks, each the value of an entry whose scoped key is the
 * chunk's hash; each chunk contains the key of the next, so the first one authenticates all. The id of a file is the
 * composite hash of its first entry. Source: `metal-on-symbol` (its README),
 * `client/rest/src/plugins/metadata/metal.js`.
 */

/** The alphabet of ids, that of Bitcoin. */
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** The first bytes of an id in hex; the composite hash follows. */
const ID_HEADER = "0b2a";
const ID_DIGITS = ID_HEADER.length + 64;
/** Maximum length of an id: 34 bytes in base58. */
const MAX_ID_LENGTH = 47;

const FLAG = { end: 0x80, text: 0x40 } as const;
const VERSION = 0x31;
const NEXT_KEY_OFFSET = 4;
const PAYLOAD_OFFSET = 12;
/** Keys are non-negative as signed numbers. */
const KEY_MASK = 0x7fff_ffff_ffff_ffffn;

/** The composite hash (32 bytes) of the first entry of the file with this id, or undefined for an invalid id. */
export function parseMetalId(id: string): Buffer | undefined {
  // A leading `1` is a zero byte, which no id has.
  if (id.length > MAX_ID_LENGTH || !/^[2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]*$/.test(id)) return undefined;
  let number = 0n;
  for (const character of id) number = number * 58n + BigInt(BASE58.indexOf(character));
  const digits = number.toString(16).padStart(ID_DIGITS, "0");
  if (digits.length !== ID_DIGITS || !digits.startsWith(ID_HEADER)) return undefined;
  return Buffer.from(digits.slice(ID_HEADER.length), "hex");
}

/** The scoped key of an entry whose value is this chunk. */
export function metalChunkKey(chunk: Buffer): bigint {
  return sha3(chunk).readBigUInt64LE() & KEY_MASK;
}

/** A part of a file. */
export interface MetalChunk {
  /** Scoped key of the entry with the next part; undefined for the last one. */
  readonly nextKey: bigint | undefined;
  /** Bytes of the file. */
  readonly payload: Buffer;
  /** Bytes of the optional text stored before the file. */
  readonly text: Buffer;
}

/**
 * Decodes the value of a metadata entry with the scoped key `key` as a chunk. Throws `EntityError` when it is invalid
 * or does not match the key.
 */
export function decodeMetalChunk(key: bigint, value: Buffer): MetalChunk {
  if (value.length < PAYLOAD_OFFSET) throw new EntityError("value", `has ${value.length} bytes, fewer than a chunk`);
  if (metalChunkKey(value) !== key) throw new EntityError("value", "does not match the hash in its key");
  const [flags = 0, version] = value;
  if (version !== VERSION) throw new EntityError("version", `is ${version} instead of ${VERSION}`);
  const isEnd = (flags & FLAG.end) !== 0;
  const content = value.subarray(PAYLOAD_OFFSET);
  return {
    nextKey: isEnd ? undefined : value.readBigUInt64BE(NEXT_KEY_OFFSET),
    ...((flags & FLAG.text) === 0 ? { text: Buffer.alloc(0), payload: content } : splitText(content)),
  };
}

/** Text ends at a zero byte, or with its chunk. */
function splitText(content: Buffer): { readonly text: Buffer; readonly payload: Buffer } {
  const end = content.indexOf(0);
  return end < 0
    ? { text: content, payload: Buffer.alloc(0) }
    : { text: content.subarray(0, end), payload: content.subarray(end + 1) };
}

/** The usual content of the text before a file: a description of the file. */
export interface MetalSeal {
  /** Bytes of the file. */
  readonly length: number;
  readonly mimeType: string | undefined;
  readonly name: string | undefined;
  readonly comment: string | undefined;
}

const SEAL_SCHEMA = "seal1";

/** Parses `["seal1", length, mimeType?, name?, comment?]`; undefined for another text. */
export function parseMetalSeal(text: string): MetalSeal | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list) || list[0] !== SEAL_SCHEMA || typeof list[1] !== "number") return undefined;
  const words: unknown[] = [list[2], list[3], list[4]];
  if (!words.every((word) => word === null || word === undefined || typeof word === "string")) return undefined;
  const [mimeType, name, comment] = words.map((word) => (word as string | null | undefined) || undefined);
  return { length: list[1], mimeType, name, comment };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
