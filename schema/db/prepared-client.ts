import { createHash } from "node:crypto";
import pg from "pg";

/** A text is prepared once it comes again: what is asked once only would cost the server memory for nothing. */
const PREPARE_AFTER = 2;
/** Texts that are remembered, prepared or not; later ones are sent as they are. Each costs a connection's server memory. */
const MAX_TEXTS = 200;
/** Longer ones are writes of many rows, whose cost is not in the text; in characters. */
const MAX_TEXT_LENGTH = 6_000;
/** Columns may come with a migration while we run, and a prepared statement may not change what it answers. */
const ALL_COLUMNS = /\bselect\s+("?\w+"?\.)?\*|\breturning\s+\*/i;

/** Rows written one behind the other, as many as there are this time: such a text hardly comes again. */
const SEVERAL_ROWS = /^\s*insert\b[\s\S]*\),\s*\(\$\d/i;

interface KnownText {
  readonly name: string;
  uses: number;
}

/** By text. Names are made of the text alone: behind a pooler, processes meet each other's statements. */
const texts = new Map<string, KnownText>();

/** The name under which a text is prepared, or undefined when it is to be sent as it is. */
export function statementName(text: string): string | undefined {
  let known = texts.get(text);
  if (!known) {
    if (texts.size >= MAX_TEXTS || text.length > MAX_TEXT_LENGTH) return undefined;
    if (ALL_COLUMNS.test(text) || SEVERAL_ROWS.test(text)) return undefined;
    known = { name: createHash("sha256").update(text).digest("base64url"), uses: 0 };
    texts.set(text, known);
  }
  known.uses += 1;
  return known.uses >= PREPARE_AFTER ? known.name : undefined;
}

/**
 * A connection on which statements that come again are prepared by the server: it parses and plans them once instead of
 * each time, which costs more than running them. Only statements with parameters are: those without are `begin`,
 * `commit` and the like.
 *
 * Results come by callback inside, because the driver's own promises keep each result until the next full garbage
 * collection, which halves what a gateway can send.
 */
export class PreparedClient extends pg.Client {
  override query = ((first: unknown, values?: unknown, callback?: unknown) => {
    const query = super.query as (...args: unknown[]) => unknown;
    if (typeof first !== "string" || !Array.isArray(values) || callback)
      return query.call(this, first, values, callback);
    const name = values.length > 0 ? statementName(first) : undefined;
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result));
      query.call(this, { ...(name && { name }), text: first, values }, settle);
    });
  }) as pg.Client["query"];
}
