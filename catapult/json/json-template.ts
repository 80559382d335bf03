/** What a step of a template writes; `first` and `second` are its operands. */
export const Op = {
  /** The template's words from `first` on, of which `second` bytes count. */
  literal: 0,
  /** Digits of the bytes of the source from `first` to `second`, without quotes. */
  hex: 1,
  /** Values at `first`, as the methods of `JsonWriter` with these names write them, or as numbers. */
  id: 2,
  uint8: 3,
  uint16: 4,
  uint32: 5,
  uint64: 6,
  /** Calls the function with the index `first`. */
  call: 7,
} as const;

/** Writes a value with a `JsonWriter`; `at` is its offset in the source, if that is bytes. */
export type AnyWrite = (writer: never, source: never, at: number) => unknown;

/** A part of a template: text as it is, bytes or a number of the source, or what a function writes. */
export type Part =
  | { readonly op: "literal"; readonly text: string }
  | { readonly op: "hex"; readonly start: number; readonly end: number }
  | { readonly op: "id" | "uint8" | "uint16" | "uint32" | "uint64"; readonly start: number }
  | { readonly op: "call"; readonly write: AnyWrite };

/** Characters of a value of each kind at most, with quotes. */
const MAX_SIZES = { id: 18, uint8: 3, uint16: 5, uint32: 10, uint64: 22 } as const;
/** Bytes that are copied at a time. */
export const WORD = 4;
const SIZES = { id: 8, uint8: 1, uint16: 2, uint32: 4, uint64: 8 } as const;

/**
 * The parts of a body in their order, to be written by `JsonWriter.template` in one loop: calling a function for each
 * member would take longer than writing it.
 */
export class JsonTemplate {
  readonly ops: Uint8Array;
  readonly firsts: Int32Array;
  readonly seconds: Int32Array;
  /** The bytes of the literals, four at a time; each begins with a word of its own. */
  readonly words: Int32Array;
  readonly writes: readonly AnyWrite[];
  /** Of everything but what functions write, and of the rest of the last word of a literal, in bytes. */
  readonly maxSize: number;
  /** The end of what it reads itself in the source. */
  readonly reach: number;

  constructor(parts: readonly Part[]) {
    const joined = joinLiterals(parts.flatMap(inQuotes));
    this.ops = Uint8Array.from(joined, ({ op }) => Op[op]);
    this.firsts = new Int32Array(joined.length);
    this.seconds = new Int32Array(joined.length);
    const words: number[] = [];
    const writes: AnyWrite[] = [];
    let maxSize = WORD - 1;
    let reach = 0;
    for (const [step, part] of joined.entries()) {
      if (part.op === "literal") {
        this.firsts[step] = words.length;
        this.seconds[step] = part.text.length;
        words.push(...wordsOf(part.text));
        maxSize += part.text.length;
      } else if (part.op === "call") {
        this.firsts[step] = writes.push(part.write) - 1;
      } else {
        const end = part.op === "hex" ? part.end : part.start + SIZES[part.op];
        this.firsts[step] = part.start;
        this.seconds[step] = end;
        maxSize += part.op === "hex" ? 2 * (end - part.start) : MAX_SIZES[part.op];
        reach = Math.max(reach, end);
      }
    }
    this.words = Int32Array.from(words);
    this.maxSize = maxSize;
    this.reach = reach;
    this.writes = writes;
  }
}

const QUOTE: Part = { op: "literal", text: '"' };

/** Quotes of digits belong to the literals around them. */
function inQuotes(part: Part): readonly Part[] {
  return part.op === "hex" ? [QUOTE, part, QUOTE] : [part];
}

/** The bytes of ASCII text as little-endian numbers. */
function wordsOf(text: string): number[] {
  const bytes = Buffer.alloc(Math.ceil(text.length / WORD) * WORD);
  bytes.write(text, "latin1");
  return Array.from({ length: bytes.length / WORD }, (_, word) => bytes.readInt32LE(WORD * word));
}

function joinLiterals(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.op === "literal" && last?.op === "literal")
      joined[joined.length - 1] = { op: "literal", text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}
