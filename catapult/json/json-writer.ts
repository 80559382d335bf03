import { type JsonTemplate, Op } from "./json-template.js";

const FIRST_CAPACITY = 16 * 1024;
const QUOTE = 0x22;
const ZERO = 0x30;
const MINUS = 0x2d;
/** Both hex digits of each byte, in their order in memory. */
const HEX_DIGITS = new Uint16Array(256);
/** Both decimal digits of the numbers below 100. */
const DECIMAL_DIGITS = new Uint16Array(100);
for (let byte = 0; byte < 256; ++byte) HEX_DIGITS[byte] = pairOf(byte.toString(16).toUpperCase());
for (let number = 0; number < 100; ++number) DECIMAL_DIGITS[number] = pairOf(number.toString());
/** Integers whose high half is below this are exact as a `number`. */
const SAFE_HIGH_HALF = 2 ** 21;
/** Digits of an exact `number`, with a sign. */
const MAX_DIGITS = 17;
/** Digits of an integer of 8 bytes, in quotes. */
const MAX_UINT64_SIZE = 22;
/** A number of eight digits and its quotient are both small integers of V8. */
const EIGHT_DIGITS = 1e8;
/** Shorter literals are copied byte by byte, which costs less than a call. */
const LONG_LITERAL = 48;

/** Two characters as a little-endian number. */
function pairOf(digits: string): number {
  return Buffer.from(digits.padStart(2, "0"), "latin1").readUInt16LE(0);
}

declare const VALUE: unique symbol;
/** The type of the JSON value that was just written. It exists at compile time only. */
export interface Written<out Value> {
  readonly [VALUE]: Value;
}
const WRITTEN = undefined as unknown as Written<never>;

type Write = (writer: JsonWriter, source: unknown, at: number) => unknown;

/** The bytes of ASCII text. */
export function literal(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "latin1"));
}

/** Writes JSON into a growing buffer: values directly from the bytes of an entity, without strings in between. */
export class JsonWriter {
  #buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  /** Of the whole buffer: writes two bytes at once, at any offset. */
  #view = new DataView(this.#buffer.buffer);
  #end = 0;

  /** Bytes written since `clear`. */
  get size(): number {
    return this.#end;
  }

  /** Discards what was written. */
  clear(): void {
    this.#end = 0;
  }

  /**
   * Writes the values of a template. What it reads itself is at its offsets in the source from `at` on, which then is
   * bytes.
   * @throws RangeError when the source ends before
   */
  template<Value = never>(template: JsonTemplate, source: unknown, at: number): Written<Value> {
    const { ops, firsts, seconds, literals, writes, maxSize, reach } = template;
    const bytes = source as Buffer;
    if (reach > 0 && !(at + reach <= bytes.length)) throw new RangeError("the bytes of an entity end too early");
    this.#reserve(maxSize);
    let end = this.#end;
    for (let step = 0; step < ops.length; ++step) {
      const first = firsts[step]!;
      const second = seconds[step]!;
      switch (ops[step]) {
        case Op.literal:
          end = copyTo(this.#buffer, end, literals, first, second);
          break;
        case Op.hex:
          end = hexTo(this.#view, end, bytes, at + first, at + second);
          break;
        case Op.id:
          end = idTo(this.#view, end, bytes, at + first);
          break;
        case Op.uint8:
          end = numberTo(this.#view, end, bytes[at + first]!);
          break;
        case Op.uint16:
          end = numberTo(this.#view, end, bytes[at + first]! + bytes[at + first + 1]! * 0x1_00);
          break;
        case Op.uint32:
          end = numberTo(this.#view, end, uint32At(bytes, at + first));
          break;
        case Op.uint64:
          end = this.#uint64To(end, bytes, at + first);
          break;
        default:
          this.#end = end;
          (writes[first] as Write)(this, source, at);
          this.#reserve(maxSize);
          end = this.#end;
      }
    }
    this.#end = end;
    return WRITTEN;
  }

  /** Copies bytes as they are, from `start` to `end` (exclusive). */
  literal<Value = never>(bytes: Uint8Array, start = 0, end = bytes.length): Written<Value> {
    this.#reserve(end - start);
    this.#end = copyTo(this.#buffer, this.#end, bytes, start, end);
    return WRITTEN;
  }

  /** Upper-case hex digits of the bytes from `start` to `end` (exclusive), in quotes. */
  hex(bytes: Uint8Array, start = 0, end = bytes.length): Written<string> {
    this.#reserve(2 * (end - start) + 2);
    this.#end = hexTo(this.#view, this.#end, bytes, start, end);
    return WRITTEN;
  }

  /** An id of 8 bytes (little-endian at `offset`): 16 hex digits in quotes. */
  id(bytes: Uint8Array, offset: number): Written<string> {
    this.#reserve(18);
    this.#end = idTo(this.#view, this.#end, bytes, offset);
    return WRITTEN;
  }

  /** The 24 hex digits of the id of an entity, in quotes; see `encodeEntityId`. */
  entityId(height: number, index: number, embeddedIndex: number): Written<string> {
    this.#reserve(26);
    const view = this.#view;
    let at = this.#end;
    view.setUint8(at++, QUOTE);
    // The highest byte of the height is always 0.
    at = hexNumberTo(view, at, 0, 1);
    at = hexNumberTo(view, at, height, 4);
    at = hexNumberTo(view, at, index, 4);
    at = hexNumberTo(view, at, embeddedIndex, 3);
    view.setUint8(at++, QUOTE);
    this.#end = at;
    return WRITTEN;
  }

  /** Decimal digits of the 8 bytes (little-endian) at `offset`, in quotes. */
  uint64(bytes: Buffer, offset: number): Written<string> {
    this.#reserve(MAX_UINT64_SIZE);
    this.#end = this.#uint64To(this.#end, bytes, offset);
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
    this.#reserve(MAX_DIGITS);
    if (value < 0) this.#buffer[this.#end++] = MINUS;
    this.#end = numberTo(this.#view, this.#end, Math.abs(value));
    return WRITTEN;
  }

  /** ASCII characters that need no escapes, such as hex digits, in quotes. */
  digits(text: string): Written<string> {
    this.#reserve(text.length + 2);
    this.#buffer[this.#end++] = QUOTE;
    this.#end += this.#buffer.write(text, this.#end, "latin1");
    this.#buffer[this.#end++] = QUOTE;
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

  /** A copy of what was written. */
  bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#end));
  }

  /** What was written. */
  text(): string {
    return this.#buffer.toString("utf8", 0, this.#end);
  }

  #uint64To(start: number, bytes: Buffer, offset: number): number {
    const buffer = this.#buffer;
    const high = uint32At(bytes, offset + 4);
    let end = start;
    buffer[end++] = QUOTE;
    if (high < SAFE_HIGH_HALF) end = numberTo(this.#view, end, high * 2 ** 32 + uint32At(bytes, offset));
    else end += buffer.write(bytes.readBigUInt64LE(offset).toString(), end, "latin1");
    buffer[end++] = QUOTE;
    return end;
  }

  #text(text: string): void {
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#end += this.#buffer.write(text, this.#end);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#end++] = byte;
  }

  #reserve(size: number): void {
    if (this.#end + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#buffer.length, this.#end + size));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/* The following write at an offset, for which there is room, and return the offset after what they wrote. */

function copyTo(buffer: Buffer, at: number, bytes: Uint8Array, start: number, end: number): number {
  const size = end - start;
  if (size > LONG_LITERAL) buffer.set(bytes.subarray(start, end), at);
  else for (let i = 0; i < size; ++i) buffer[at + i] = bytes[start + i]!;
  return at + size;
}

function hexTo(view: DataView, at: number, bytes: Uint8Array, start: number, end: number): number {
  let to = at;
  view.setUint8(to++, QUOTE);
  for (let i = start; i < end; ++i, to += 2) view.setUint16(to, HEX_DIGITS[bytes[i]!]!, true);
  view.setUint8(to++, QUOTE);
  return to;
}

/** The hex digits of the lowest bytes of a number below 2^32. */
function hexNumberTo(view: DataView, at: number, value: number, bytes: number): number {
  for (let place = 0; place < bytes; ++place) {
    const byte = (value >>> (8 * (bytes - 1 - place))) & 0xff;
    view.setUint16(at + 2 * place, HEX_DIGITS[byte]!, true);
  }
  return at + 2 * bytes;
}

function idTo(view: DataView, at: number, bytes: Uint8Array, offset: number): number {
  let to = at;
  view.setUint8(to++, QUOTE);
  for (let i = offset + 7; i >= offset; --i, to += 2) view.setUint16(to, HEX_DIGITS[bytes[i]!]!, true);
  view.setUint8(to++, QUOTE);
  return to;
}

/** A safe integer that is not negative. */
function numberTo(view: DataView, at: number, value: number): number {
  if (value < EIGHT_DIGITS) {
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) ++digits;
    return digitsTo(view, at, value, digits);
  }
  const high = Math.floor(value / EIGHT_DIGITS);
  return digitsTo(view, numberTo(view, at, high), value - high * EIGHT_DIGITS, 8);
}

/** A number below 10^8, with leading zeros. */
function digitsTo(view: DataView, at: number, value: number, digits: number): number {
  let rest = value | 0;
  let to = at + digits;
  while (to - at >= 2) {
    const quotient = (rest / 100) | 0;
    to -= 2;
    view.setUint16(to, DECIMAL_DIGITS[rest - 100 * quotient]!, true);
    rest = quotient;
  }
  if (to > at) view.setUint8(at, ZERO + rest);
  return at + digits;
}

function uint32At(bytes: Uint8Array, at: number): number {
  return bytes[at]! + bytes[at + 1]! * 0x1_00 + bytes[at + 2]! * 0x1_00_00 + bytes[at + 3]! * 0x1_00_00_00;
}
