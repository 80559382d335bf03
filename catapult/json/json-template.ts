/** What a step of a template writes; `first` and `second` are its operands. */
export const Op = {
  /** Bytes of the template's literals, from `first` to `second`. */
  literal: 0,
  /** Bytes of the source from `first` to `second`. */
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
const SIZES = { id: 8, uint8: 1, uint16: 2, uint32: 4, uint64: 8 } as const;

/**
 * The parts of a body in their order, to be written by `JsonWriter.template` in one loop: calling a function for each
 * member would take longer than writing it.
 */
export class JsonTemplate {
  readonly ops: Uint8Array;
  readonly firsts: Int32Array;
  readonly seconds: Int32Array;
  readonly literals: Uint8Array;
  readonly writes: readonly AnyWrite[];
  /** Of everything but what functions write, in bytes. */
  readonly maxSize: number;
  /** The end of what it reads itself in the source. */
  readonly reach: number;

  constructor(parts: readonly Part[]) {
    const joined = joinLiterals(parts);
    const texts = joined.map((part) => (part.op === "literal" ? part.text : ""));
    this.ops = Uint8Array.from(joined, ({ op }) => Op[op]);
    this.firsts = new Int32Array(joined.length);
    this.seconds = new Int32Array(joined.length);
    this.literals = Uint8Array.from(Buffer.from(texts.join(""), "latin1"));
    const writes: AnyWrite[] = [];
    let written = 0;
    let maxSize = 0;
    let reach = 0;
    for (const [step, part] of joined.entries()) {
      if (part.op === "literal") {
        this.firsts[step] = written;
        written += part.text.length;
        this.seconds[step] = written;
      } else if (part.op === "call") {
        this.firsts[step] = writes.push(part.write) - 1;
      } else {
        const end = part.op === "hex" ? part.end : part.start + SIZES[part.op];
        this.firsts[step] = part.start;
        this.seconds[step] = end;
        maxSize += part.op === "hex" ? 2 * (end - part.start) + 2 : MAX_SIZES[part.op];
        reach = Math.max(reach, end);
      }
    }
    this.maxSize = maxSize + written;
    this.reach = reach;
    this.writes = writes;
  }
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
