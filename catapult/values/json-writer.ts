import { GrowingMemory } from "./growing-memory.js";
import { hexNumberTo, hexOfCharactersTo, hexTo, idTo, numberTo, QUOTE } from "./json-digits.js";

const FIRST_CAPACITY = 16 * 1024;
/** Of a part of what was written, in bytes: larger texts are outside of V8's young generation. */
const PART_SIZE = 64 * 1024;
/** Bytes of names in objects and the like. */
const MAX_COPIED = 32;
const MINUS = 0x2d;
const COMMA = 0x2c;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
/** Integers whose high half is below this are exact as a `number`. */
const SAFE_HIGH_HALF = 2 ** 21;
const TOO_SHORT = "the bytes of an entity end too early";
/** Digits of an exact `number`, with a sign. */
const MAX_DIGITS = 17;
declare const VALUE: unique symbol;
/** The type of the JSON value that was just written. It exists at compile time only. */
export interface Written<out Value> {
  readonly [VALUE]: Value;
}
const WRITTEN = undefined as unknown as Written<never>;

/** The bytes of ASCII text. */
export function literal(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "latin1"));
}

/** Writes JSON into a growing buffer: values directly from the bytes of an entity, without strings in between. */
export class JsonWriter extends GrowingMemory {
  constructor() {
    super(FIRST_CAPACITY);
  }

  /** Discards what was written. */
  clear(): void {
    this.end = 0;
  }

  /** Copies bytes as they are. */
  literal<Value = never>(bytes: Uint8Array): Written<Value> {
    this.reserve(bytes.length);
    const { buffer, end } = this;
    // Of a few bytes, a call of `set` takes longer than the bytes.
    if (bytes.length > MAX_COPIED) buffer.set(bytes, end);
    else for (let at = 0; at < bytes.length; ++at) buffer[end + at] = bytes[at]!;
    this.end = end + bytes.length;
    return WRITTEN;
  }

  /**
   * Upper-case hex digits of the bytes from `start` to `end` (exclusive), in quotes.
   * @throws RangeError when the bytes end before
   */
  hex(bytes: Uint8Array, start = 0, end = bytes.length): Written<string> {
    if (end > bytes.length) throw new RangeError(TOO_SHORT);
    this.reserve(2 * (end - start) + 2);
    this.end = hexTo(this.view, this.end, bytes, start, end);
    return WRITTEN;
  }

  /** Upper-case hex digits of the 8 bytes (little-endian) at an offset, in quotes. @throws RangeError when the bytes end before */
  id(bytes: Uint8Array, offset: number): Written<string> {
    if (offset + 8 > bytes.length) throw new RangeError(TOO_SHORT);
    this.reserve(18);
    this.end = idTo(this.view, this.end, bytes, offset);
    return WRITTEN;
  }

  /** Decimal digits of the 8 bytes (little-endian) at an offset, in quotes. @throws RangeError when the bytes end before */
  uint64(bytes: Buffer, offset: number): Written<string> {
    const high = bytes.readUInt32LE(offset + 4);
    if (high >= SAFE_HIGH_HALF) return this.decimal(bytes.readBigUInt64LE(offset));
    return this.decimal(high * 2 ** 32 + bytes.readUInt32LE(offset));
  }

  /** Upper-case hex digits of bytes that are given as characters (latin1), in quotes. */
  hexOfCharacters(characters: string): Written<string> {
    this.reserve(2 * characters.length + 2);
    this.end = hexOfCharactersTo(this.view, this.end, characters);
    return WRITTEN;
  }

  /** A list of values of `size` bytes each, as {@link hex} writes them. */
  hexList(bytes: Uint8Array, size: number): Written<readonly string[]> {
    this.#byte(LIST_START);
    for (let at = 0; at < bytes.length; at += size) {
      if (at > 0) this.#byte(COMMA);
      this.hex(bytes, at, at + size);
    }
    this.#byte(LIST_END);
    return WRITTEN;
  }

  /** The 24 hex digits of the id of an entity, in quotes; see `encodeEntityId`. */
  entityId(height: number, index: number, embeddedIndex: number): Written<string> {
    this.reserve(26);
    const view = this.view;
    let at = this.end;
    view.setUint8(at++, QUOTE);
    // The highest byte of the height is always 0.
    at = hexNumberTo(view, at, 0, 1);
    at = hexNumberTo(view, at, height, 4);
    at = hexNumberTo(view, at, index, 4);
    at = hexNumberTo(view, at, embeddedIndex, 3);
    view.setUint8(at++, QUOTE);
    this.end = at;
    return WRITTEN;
  }

  /** Decimal digits in quotes; a `number` must be a safe integer. */
  decimal(value: number | bigint): Written<string> {
    this.#byte(QUOTE);
    if (typeof value === "bigint") this.#text(value.toString());
    else this.number(value);
    this.#byte(QUOTE);
    return WRITTEN;
  }

  /** Decimal digits of a safe integer. */
  number(value: number): Written<number> {
    this.reserve(MAX_DIGITS);
    if (value < 0) this.buffer[this.end++] = MINUS;
    this.end = numberTo(this.view, this.end, Math.abs(value));
    return WRITTEN;
  }

  /** ASCII characters that need no escapes, such as hex digits, in quotes. */
  digits(text: string): Written<string> {
    this.reserve(text.length + 2);
    this.buffer[this.end++] = QUOTE;
    this.end += this.buffer.write(text, this.end, "latin1");
    this.buffer[this.end++] = QUOTE;
    return WRITTEN;
  }

  /** Any text, in quotes. */
  string(value: string): Written<string> {
    this.#text(JSON.stringify(value));
    return WRITTEN;
  }

  /** JSON text as it is. */
  json<Value = never>(text: string): Written<Value> {
    this.#text(text);
    return WRITTEN;
  }

  /**
   * The bytes that were written, as text with one character for each byte (latin1), in parts. One large buffer or text for
   * each answer makes V8 collect the whole heap every few hundred answers: that takes longer than rendering them.
   */
  parts(): string[] {
    const parts: string[] = [];
    for (let start = 0; start < this.end; start += PART_SIZE) {
      parts.push(this.buffer.toString("latin1", start, Math.min(start + PART_SIZE, this.end)));
    }
    return parts;
  }

  /** What was written. */
  text(): string {
    return this.buffer.toString("utf8", 0, this.end);
  }

  #text(text: string): void {
    const size = Buffer.byteLength(text);
    this.reserve(size);
    this.end += this.buffer.write(text, this.end);
  }

  #byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.end++] = byte;
  }
}
