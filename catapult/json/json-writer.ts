const FIRST_CAPACITY = 16 * 1024;
const QUOTE = 0x22;
const ZERO = 0x30;
const MINUS = 0x2d;
const HIGH_DIGITS = Buffer.alloc(256);
const LOW_DIGITS = Buffer.alloc(256);
for (let byte = 0; byte < 256; ++byte) {
  const digits = byte.toString(16).toUpperCase().padStart(2, "0");
  HIGH_DIGITS[byte] = digits.charCodeAt(0);
  LOW_DIGITS[byte] = digits.charCodeAt(1);
}
/** Integers whose high half is below this are exact as a `number`. */
const SAFE_HIGH_HALF = 2 ** 21;
/** Digits of an exact `number`, with a sign. */
const MAX_DIGITS = 17;
/** Shorter literals are copied byte by byte, which costs less than a call. */
const LONG_LITERAL = 48;

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
export class JsonWriter {
  #buffer: Buffer = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #end = 0;

  /** Bytes written since `clear`. */
  get size(): number {
    return this.#end;
  }

  /** Discards what was written. */
  clear(): void {
    this.#end = 0;
  }

  /** Copies bytes as they are. */
  literal<Value = never>(bytes: Uint8Array): Written<Value> {
    const { length } = bytes;
    this.#reserve(length);
    if (length > LONG_LITERAL) this.#buffer.set(bytes, this.#end);
    else for (let i = 0; i < length; ++i) this.#buffer[this.#end + i] = bytes[i]!;
    this.#end += length;
    return WRITTEN;
  }

  /** Upper-case hex digits of the bytes from `start` to `end` (exclusive), in quotes. */
  hex(bytes: Uint8Array, start = 0, end = bytes.length): Written<string> {
    this.#reserve(2 * (end - start) + 2);
    const buffer = this.#buffer;
    let at = this.#end;
    buffer[at++] = QUOTE;
    for (let i = start; i < end; ++i) {
      const byte = bytes[i]!;
      buffer[at++] = HIGH_DIGITS[byte]!;
      buffer[at++] = LOW_DIGITS[byte]!;
    }
    buffer[at++] = QUOTE;
    this.#end = at;
    return WRITTEN;
  }

  /** An id of 8 bytes (little-endian at `offset`): 16 hex digits in quotes. */
  id(bytes: Uint8Array, offset: number): Written<string> {
    this.#reserve(18);
    const buffer = this.#buffer;
    let at = this.#end;
    buffer[at++] = QUOTE;
    for (let i = offset + 7; i >= offset; --i) {
      const byte = bytes[i]!;
      buffer[at++] = HIGH_DIGITS[byte]!;
      buffer[at++] = LOW_DIGITS[byte]!;
    }
    buffer[at++] = QUOTE;
    this.#end = at;
    return WRITTEN;
  }

  /** Decimal digits of the 8 bytes (little-endian) at `offset`, in quotes. */
  uint64(bytes: Buffer, offset: number): Written<string> {
    const high = bytes.readUInt32LE(offset + 4);
    if (high < SAFE_HIGH_HALF) return this.decimal(high * 2 ** 32 + bytes.readUInt32LE(offset));
    return this.decimal(bytes.readBigUInt64LE(offset));
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
    const buffer = this.#buffer;
    let rest = value;
    if (rest < 0) {
      buffer[this.#end++] = MINUS;
      rest = -rest;
    }
    let digits = 1;
    for (let limit = 10; rest >= limit; limit *= 10) ++digits;
    for (let at = this.#end + digits - 1; at >= this.#end; --at) {
      const quotient = Math.floor(rest / 10);
      buffer[at] = ZERO + (rest - 10 * quotient);
      rest = quotient;
    }
    this.#end += digits;
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
  }
}
