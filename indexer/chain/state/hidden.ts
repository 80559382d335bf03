import { sql } from "kysely";
import type { StateKind } from "../../../catapult/state/kind.js";
import type { Db } from "../../../database/database.js";
import { keyInColumn, stateKindNumber } from "../../../database/queries/state-entries.js";
import { STATE_TABLES } from "../../../database/queries/state-lists.js";
import type { StoredEntry } from "../../../ledger/engine/entry-loader.js";
import { isRemoved } from "../../../ledger/engine/omitted-part.js";
import type { ChangedState } from "../step/block-range.js";
import { insertAll } from "../step/insert.js";

/** Kinds of which execution needs more than the rows show; accounts have a column for it. */
const HIDDEN_KINDS: ReadonlySet<StateKind> = new Set(["namespace", "hashLock", "secretLock"]);

const ROWS_AT_A_TIME = 5_000;

/** Whether an entry has rows: execution needs some that nodes, and so the interfaces, no longer show. */
export function isShown(kind: StateKind, { value, history }: Pick<ChangedState, "value" | "history">): boolean {
  return value !== undefined && !isRemoved(kind, history);
}

/** Replaces what is hidden of these entries of a kind. */
export async function writeHidden(trx: Db, kind: StateKind, entries: readonly ChangedState[]): Promise<void> {
  if (!HIDDEN_KINDS.has(kind)) return;
  const number = stateKindNumber(kind);
  const keys = entries.map(({ key }) => key);
  await trx.deleteFrom("hidden_states").where("kind", "=", number).where("key", "in", keys).execute();
  const rows = entries.flatMap(({ key, value, history }) =>
    history ? [{ kind: number, key, value: isShown(kind, { value, history }) ? null : (value ?? null), history }] : [],
  );
  await insertAll(trx, "hidden_states", rows);
}

/**
 * All entries of a kind, also those without rows, with their keys as in requests to the node. A child namespace is part of
 * its root's value.
 */
export async function* readEntries(db: Db, kind: StateKind): AsyncGenerator<StoredEntry & { readonly key: Buffer }> {
  const rows = db.selectFrom("hidden_states").selectAll().where("kind", "=", stateKindNumber(kind));
  const hidden = new Map((await rows.execute()).map((row) => [row.key.toString("hex"), row]));
  for await (const { key: inColumn, value, history } of readRows(db, kind)) {
    const key = keyInColumn(kind, inColumn);
    yield { key, value, history: history ?? hidden.get(key.toString("hex"))?.history };
  }
  for (const { key, value, history } of hidden.values()) if (value) yield { key, value, history };
}

interface StateRow {
  readonly id: Buffer;
  readonly key: Buffer;
  readonly value: Buffer;
  readonly history: Buffer | null;
}

/** The rows of a kind with a value, some at a time. */
async function* readRows(db: Db, kind: StateKind): AsyncGenerator<StateRow> {
  const { table, keyColumn } = STATE_TABLES[kind];
  const history = kind === "account" ? sql.ref("history") : sql`null::bytea`;
  let after: Buffer | undefined = Buffer.alloc(0);
  while (after) {
    const { rows }: { rows: StateRow[] } = await sql<StateRow>`
      select id, ${sql.ref(keyColumn)} as key, value, ${history} as history from ${sql.table(table)}
      where id > ${after} and value is not null order by id limit ${ROWS_AT_A_TIME}`.execute(db);
    yield* rows;
    after = rows[ROWS_AT_A_TIME - 1]?.id;
  }
}
