import { sql as kyselySql, type RawBuilder } from "kysely";
import type { Db } from "./database.js";

/** Double quotes in a name are doubled. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * A statement, or a part of one: texts, and the parameters between them. The parts of a statement are joined when it is
 * created, at a fraction of what a query builder needs for its tree.
 */
export class Sql<Row = unknown> {
  /** One more than there are values. */
  readonly texts: readonly string[];
  readonly values: readonly unknown[];
  declare readonly row: Row;
  #text: string | undefined;

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
  }

  /** The whole text, with `$1`, `$2`, ... for the parameters. */
  get text(): string {
    this.#text ??= this.texts.reduce((text, next, place) => `${text}$${place}${next}`);
    return this.#text;
  }

  /** The same for the query builder. */
  forBuilder(): RawBuilder<Row> {
    return kyselySql<Row>(this.texts as unknown as TemplateStringsArray, ...this.values);
  }

  /** Runs it; values of columns as the driver parses them. */
  async execute(db: Db): Promise<{ readonly rows: Row[] }> {
    return this.forBuilder().execute(db);
  }
}

/** A statement from a template: each value is a parameter, unless it is a part of a statement itself. */
function tag<Row = unknown>(strings: TemplateStringsArray, ...parts: readonly unknown[]): Sql<Row> {
  const texts = [strings[0]!];
  const values: unknown[] = [];
  parts.forEach((part, place) => {
    if (part instanceof Sql) add(texts, values, part);
    else {
      values.push(part);
      texts.push("");
    }
    texts[texts.length - 1] += strings[place + 1]!;
  });
  return new Sql(texts, values);
}

function add(texts: string[], values: unknown[], part: Sql): void {
  texts[texts.length - 1] += part.texts[0]!;
  for (let place = 1; place < part.texts.length; ++place) texts.push(part.texts[place]!);
  values.push(...part.values);
}

/**
 * The same statement with subqueries in place of its numbers, and with `all` in place of bytes too, so that PostgreSQL plans
 * it once for all of them.
 */
export function withUnseen<Row>({ texts, values }: Sql<Row>, which: "numbers" | "all"): Sql<Row> {
  const unseen = [...texts];
  for (const [place, value] of values.entries()) {
    const isBytes = Buffer.isBuffer(value);
    const isNumber = typeof value === "number" || typeof value === "bigint";
    if (!isNumber && !(isBytes && which === "all")) continue;
    unseen[place] += "(select ";
    unseen[place + 1] = `::${isBytes ? "bytea" : "int8"})${unseen[place + 1]}`;
  }
  return new Sql(unseen, values);
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
  join: (parts: readonly unknown[], separator: Sql = raw(", ")): Sql => {
    const texts = [""];
    const values: unknown[] = [];
    parts.forEach((part, place) => {
      if (place > 0) add(texts, values, separator);
      add(texts, values, part instanceof Sql ? part : new Sql(["", ""], [part]));
    });
    return new Sql(texts, values);
  },
});
