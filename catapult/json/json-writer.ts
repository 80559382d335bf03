import { GrowingMemory } from "../entity/growing-memory.js";
import {
  copyTo,
  hexDigitsTo,
  hexNumberTo,
  hexOfCharactersTo,
  hexTo,
  idTo,
  numberTo,
  QUOTE,
  quotedHexTo,
  uint32At,
} from "./json-digits.js";
import { type JsonTemplate, Op, WORD } from "./json-template.js";

const FIRST_CAPACITY = 16 * 1024;
/** Of a part of what was written, in bytes: larger texts are outside of V8's young generation. */
const PART_SIZE = 64 * 1024;
const MINUS = 0x2d;
const COMMA = 0x2c;
const LIST_START = 0x5b;
const LIST_END = 0x5d;
/** Integers whose high half is below this are exact as a `number`. */
const SAFE_HIGH_HALF = 2 ** 21;
/** Digits of an exact `number`, with a sign. */
const MAX_DIGITS = 17;
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
export class JsonWriter extends GrowingMemory {
  /** The memory of the last source of a template: those of many bodies are parts of the same memory. */
  #source: ArrayBufferLike | undefined;
  #sourceView = this.view;

  constructor() {
    super(FIRST_CAPACITY);
  }

  /** Discards what was written. */
  clear(): void {
    this.end = 0;
    this.#source = undefined;
  }

  /**
   * Writes the values of a template. What it reads itself is at its offsets in the source from `at` on, which then is
   * bytes.
   * @throws RangeError when the source ends before
   */
  template<Value = never>(template: JsonTemplate, source: unknown, at: number): Written<Value> {
    const { ops, firsts, seconds, words, writes, maxSize, reach } = template;
    const bytes = source as Buffer;
    if (reach > 0 && !(at + reach <= bytes.length)) throw new RangeError("the bytes of an entity end too early");
    this.reserve(maxSize);
    const from = reach > 0 ? this.#viewOf(bytes) : this.view;
    // Where the source is in its memory, of which there is one view.
    const base = reach > 0 ? at + bytes.byteOffset : 0;
    let view = this.view;
    let end = this.end;
    for (let step = 0; step < ops.length; ++step) {
      const first = firsts[step]!;
      const second = seconds[step]!;
      switch (ops[step]) {
        case Op.literal:
          // What is written past its end is overwritten by the next step, or is not part of the result.
          for (let done = 0, word = first; done < second; done += WORD, ++word)
            view.setInt32(end + done, words[word]!, true);
          end += second;
          break;
        case Op.hex:
          end = hexDigitsTo(view, end, from, base + first, base + second);
          break;
        case Op.id:
          end = idTo(view, end, bytes, at + first);
          break;
        case Op.uint8:
          end = numberTo(view, end, bytes[at + first]!);
          break;
        case Op.uint16:
          end = numberTo(view, end, from.getUint16(base + first, true));
          break;
        case Op.uint32:
          end = numberTo(view, end, from.getUint32(base + first, true));
          break;
        case Op.uint64:
          end = this.#uint64To(end, bytes, at + first);
          break;
        default:
          this.end = end;
          (writes[first] as Write)(this, source, at);
          this.reserve(maxSize);
          view = this.view;
          end = this.end;
      }
    }
    this.end = end;
    return WRITTEN;
  }

  /** Copies bytes as they are, from `start` to `end` (exclusive). */
  literal<Value = never>(bytes: Uint8Array, start = 0, end = bytes.length): Written<Value> {
    this.reserve(end - start);
    this.end = copyTo(this.buffer, this.end, bytes, start, end);
    return WRITTEN;
  }

  /** Upper-case hex digits of the bytes from `start` to `end` (exclusive), in quotes. */
  hex(bytes: Uint8Array, start = 0, end = bytes.length): Written<string> {
    this.reserve(2 * (end - start) + 2);
    this.end =
      bytes.buffer === this.#source
        ? quotedHexTo(this.view, this.end, this.#sourceView, bytes.byteOffset + start, bytes.byteOffset + end)
        : hexTo(this.view, this.end, bytes, start, end);
    return WRITTEN;
  }

  /** Upper-case hex digits of bytes that are given as characters (latin1), in quotes. */
  hexOfCharacters(characters: string): Written<string> {
    this.reserve(2 * characters.length + 2);
    this.end = hexOfCharactersTo(this.view, this.end, characters);
    return WRITTEN;
  }

  /** A list of values of `size` bytes each, from `start` to `end` (exclusive), as {@link hex} writes them. */
  hexList(bytes: Buffer, size: number, start: number, end: number): Written<readonly string[]> {
    this.reserve(((end - start) / size) * (2 * size + 3) + 2);
    const [view, from] = [this.view, this.#viewOf(bytes)];
    let to = this.end;
    view.setUint8(to++, LIST_START);
    for (let at = start; at < end; at += size) {
      if (at > start) view.setUint8(to++, COMMA);
      to = quotedHexTo(view, to, from, bytes.byteOffset + at, bytes.byteOffset + at + size);
    }
    view.setUint8(to++, LIST_END);
    this.end = to;
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

  #uint64To(start: number, bytes: Buffer, offset: number): number {
    const buffer = this.buffer;
    const high = uint32At(bytes, offset + 4);
    let end = start;
    buffer[end++] = QUOTE;
    if (high < SAFE_HIGH_HALF) end = numberTo(this.view, end, high * 2 ** 32 + uint32At(bytes, offset));
    else end += buffer.write(bytes.readBigUInt64LE(offset).toString(), end, "latin1");
    buffer[end++] = QUOTE;
    return end;
  }

  /** A view of the memory of a source, from which many values are read. */
  #viewOf(bytes: Buffer): DataView {
    if (bytes.buffer !== this.#source) {
      this.#source = bytes.buffer;
      this.#sourceView = new DataView(bytes.buffer);
    }
    return this.#sourceView;
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
