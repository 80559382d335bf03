import { type RawBuilder, sql } from "kysely";
import type { Database, Db } from "../../database/database.js";
import type { Findings } from "./findings.js";

/** Counts that are stored in a table. */
export interface StoredCounts<Key> {
  readonly table: keyof Database;
  /** The columns that identify a count. */
  readonly key: readonly (keyof Key & string)[];
  /** The condition of the counts that are checked. */
  readonly where: RawBuilder<unknown>;
  /** A query of the key of each counted entry. */
  readonly entries: RawBuilder<unknown>;
  readonly nameOf: (key: Key) => string;
}

const MAX_DIFFERENCES = 100;

/** Counts entries, and compares. One statement is one snapshot. */
export async function checkCounts<Key>(
  db: Db,
  findings: Findings,
  { table, key, where, entries, nameOf }: StoredCounts<Key>,
): Promise<void> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const { rows } = await sql<Key & { readonly stored: number | null; readonly expected: number | null }>`
    select ${columns}, s.count as stored, e.count as expected
    from (select ${columns}, count from ${sql.table(table)} where ${where}) s
    full join (select ${columns}, count(*) as count from (${entries}) l group by ${columns}) e using (${columns})
    where s.count is distinct from e.count
    limit ${MAX_DIFFERENCES}`.execute(db);
  for (const row of rows) {
    const { stored, expected } = row;
    const count = { table, key: nameOf(row) };
    if (stored === null) findings.add({ ...count, problem: `is missing: there are ${expected} entries` });
    else if (expected === null) findings.add({ ...count, problem: "has no entries" });
    else findings.add({ ...count, column: "count", problem: `is ${stored}, not ${expected}` });
  }
}
