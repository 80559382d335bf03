import { sql as kyselySql, type RawBuilder } from "kysely";
import type { Db } from "./database.js";

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

/** Double quotes in a name are doubled. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Which values are subqueries, so that the planner does not see them. */
type Unseen = "numbers" | "all";

/** A statement's text, and its values. */
interface Flat {
  readonly text: StatementText;
  readonly values: readonly unknown[];
}

/**
 * A statement, or a part of one: texts, and values or further parts between them. The text of the whole statement is looked
 * up by its parts, at a fraction of what joining them takes, or a query builder for its tree.
 */
export class Sql<Row = unknown> {
  /** One more than there are parts. */
  readonly #strings: readonly string[];
  readonly #parts: readonly unknown[];
  readonly #unseen: Unseen | undefined;
  declare readonly row: Row;
  #flat: Flat | undefined;

  constructor(strings: readonly string[], parts: readonly unknown[], unseen?: Unseen) {
    this.#strings = strings;
    this.#parts = parts;
    this.#unseen = unseen;
  }

  /** The whole text, with `$1`, `$2`, ... for the values. */
  get text(): string {
    return this.#flattened().text.joined;
  }

  get values(): readonly unknown[] {
    return this.#flattened().values;
  }

  /** The same for the query builder. */
  forBuilder(): RawBuilder<Row> {
    const { text, values } = this.#flattened();
    return kyselySql<Row>(text.strings as unknown as TemplateStringsArray, ...values);
  }

  /** Runs it; values of columns as the driver parses them. */
  async execute(db: Db): Promise<{ readonly rows: Row[] }> {
    return this.forBuilder().execute(db);
  }

  /**
   * The same statement with subqueries in place of its numbers, and with `all` in place of bytes too, so that PostgreSQL
   * plans it once for all of them.
   */
  withUnseen(which: Unseen): Sql<Row> {
    return new Sql(this.#strings, this.#parts, which);
  }

  /** The same statement with another last value: for one that runs often, as its text is looked up once. */
  withLast(value: unknown): Sql<Row> {
    const statement = new Sql<Row>(this.#strings, this.#parts, this.#unseen);
    const { text, values } = this.#flattened();
    statement.#flat = { text, values: [...values.slice(0, -1), value] };
    return statement;
  }

  #flattened(): Flat {
    if (!this.#flat) {
      const values: unknown[] = [];
      this.#flat = { text: this.#appendTo(firstPart(), values, undefined).text, values };
    }
    return this.#flat;
  }

  #appendTo(start: TextPart, values: unknown[], unseenAround: Unseen | undefined): TextPart {
    const [strings, parts] = [this.#strings, this.#parts];
    const unseen = this.#unseen ?? unseenAround;
    let end = start.followedBy(strings[0]!);
    for (let place = 0; place < parts.length; ++place) {
      const part = parts[place];
      if (part instanceof Sql) {
        end = part.#appendTo(end, values, unseen);
      } else {
        const type = unseen && unseenType(part, unseen);
        values.push(part);
        end = type ? end.followedBy("(select ").followedByValue().followedBy(UNSEEN_END[type]) : end.followedByValue();
      }
      end = end.followedBy(strings[place + 1]!);
    }
    return end;
  }
}

const UNSEEN_END = { int8: "::int8)", bytea: "::bytea)" } as const;

/** The type of a value that becomes a subquery. */
function unseenType(value: unknown, unseen: Unseen): keyof typeof UNSEEN_END | undefined {
  if (typeof value === "number" || typeof value === "bigint") return "int8";
  return unseen === "all" && Buffer.isBuffer(value) ? "bytea" : undefined;
}

/** A statement from a template: each value is a parameter, unless it is a part of a statement itself. */
function tag<Row = unknown>(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql<Row> {
  return new Sql(strings, parts);
}

/** Text as it is: never what a client has sent. */
function raw(text: string): Sql<never> {
  return new Sql([text], []);
}

/** Names of columns and tables are those in the code. */
const references = new Map<string, Sql<never>>();

function reference(name: string): Sql<never> {
  const known = references.get(name) ?? raw(name.split(".").map(quoted).join("."));
  references.set(name, known);
  return known;
}

export const sql = Object.assign(tag, {
  raw,
  /** A column, or `alias.column`. */
  ref: reference,
  table: reference,
  /** A number as part of the text. */
  lit: (value: number) => raw(String(value)),
  /** Parts with a separator between them. */
  join: (parts: readonly unknown[], separator = ", "): Sql => {
    if (parts.length === 0) return raw("");
    return new Sql(["", ...Array<string>(parts.length - 1).fill(separator), ""], [...parts]);
  },
});
