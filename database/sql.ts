import { sql as kyselySql, type RawBuilder } from "kysely";
import type { Db } from "./database.js";

/** Double quotes in a name are doubled. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Which values are subqueries, so that the planner does not see them. */
type Unseen = "numbers" | "all";

/** The texts of a statement, one more than there are values, and the values between them. */
interface Flat {
  readonly texts: string[];
  readonly values: unknown[];
}

/**
 * A statement, or a part of one: texts, and values or further parts between them. They are joined when the text of the whole
 * statement is needed, at a fraction of what a query builder needs for its tree.
 */
export class Sql<Row = unknown> {
  /** One more than there are parts. */
  readonly #strings: readonly string[];
  readonly #parts: readonly unknown[];
  readonly #unseen: Unseen | undefined;
  declare readonly row: Row;
  #flat: Flat | undefined;
  #text: string | undefined;

  constructor(strings: readonly string[], parts: readonly unknown[], unseen?: Unseen) {
    this.#strings = strings;
    this.#parts = parts;
    this.#unseen = unseen;
  }

  /** The whole text, with `$1`, `$2`, ... for the values. */
  get text(): string {
    if (this.#text === undefined) {
      const { texts } = this.#flattened();
      let text = texts[0]!;
      for (let place = 1; place < texts.length; ++place) text += `$${place}${texts[place]!}`;
      this.#text = text;
    }
    return this.#text;
  }

  get values(): readonly unknown[] {
    return this.#flattened().values;
  }

  /** The same for the query builder. */
  forBuilder(): RawBuilder<Row> {
    const { texts, values } = this.#flattened();
    return kyselySql<Row>(texts as unknown as TemplateStringsArray, ...values);
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

  /** The same statement with another last value: for one that runs often, as its text is created once. */
  withLast(value: unknown): Sql<Row> {
    const statement = new Sql<Row>(this.#strings, this.#parts, this.#unseen);
    const { texts, values } = this.#flattened();
    statement.#flat = { texts, values: [...values.slice(0, -1), value] };
    statement.#text = this.text;
    return statement;
  }

  #flattened(): Flat {
    if (!this.#flat) {
      this.#flat = { texts: [""], values: [] };
      this.#appendTo(this.#flat, undefined);
    }
    return this.#flat;
  }

  #appendTo(flat: Flat, unseenAround: Unseen | undefined): void {
    const { texts, values } = flat;
    const [strings, parts] = [this.#strings, this.#parts];
    const unseen = this.#unseen ?? unseenAround;
    texts[texts.length - 1] += strings[0]!;
    for (let place = 0; place < parts.length; ++place) {
      const part = parts[place];
      const next = strings[place + 1]!;
      if (part instanceof Sql) {
        part.#appendTo(flat, unseen);
        texts[texts.length - 1] += next;
        continue;
      }
      const type = unseen && unseenType(part, unseen);
      if (type) texts[texts.length - 1] += "(select ";
      values.push(part);
      texts.push(type ? `::${type})${next}` : next);
    }
  }
}

/** The type of a value that becomes a subquery. */
function unseenType(value: unknown, unseen: Unseen): string | undefined {
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
