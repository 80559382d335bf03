/** Of everything that is kept, in bytes: statements that a client makes up would be kept for ever otherwise. */
const MAX_SIZE = 4 * 1024 * 1024;
/** Of a part, in bytes, roughly. */
const PART_SIZE = 200;

let size = 0;

/** The text of a statement. */
export interface StatementText {
  /** Before, between and after the values. */
  readonly strings: readonly string[];
  /** With `$1`, `$2`, ... for the values; the same object each time, so that it is hashed once. */
  readonly joined: string;
}

/** A part of statements that begin in the same way; the next parts follow it, as in a tree. */
export class TextPart {
  readonly #before: TextPart | undefined;
  /** Undefined for a value, and for the start. */
  readonly #string: string | undefined;
  readonly #next = new Map<string, TextPart>();
  #value: TextPart | undefined;
  #text: StatementText | undefined;

  constructor(before?: TextPart, string?: string) {
    this.#before = before;
    this.#string = string;
    size += PART_SIZE;
  }

  /** The part after this one that is a string. */
  followedBy(string: string): TextPart {
    if (string === "") return this;
    let next = this.#next.get(string);
    if (!next) {
      next = new TextPart(this, string);
      this.#next.set(string, next);
    }
    return next;
  }

  /** The part after this one that is a value. */
  followedByValue(): TextPart {
    this.#value ??= new TextPart(this);
    return this.#value;
  }

  /** The text of the statement that ends here. */
  get text(): StatementText {
    this.#text ??= this.#join();
    return this.#text;
  }

  #join(): StatementText {
    const strings = [""];
    for (let part: TextPart = this; part.#before; part = part.#before) {
      if (part.#string === undefined) strings.unshift("");
      else strings[0] = part.#string + strings[0];
    }
    const joined = strings.reduce((before, string, place) => `${before}$${place}${string}`);
    size += 2 * joined.length;
    return { strings, joined };
  }
}

let first = new TextPart();

/** Where every statement begins. What was kept is forgotten when it has become too much. */
export function firstPart(): TextPart {
  if (size > MAX_SIZE) {
    size = 0;
    first = new TextPart();
  }
  return first;
}
