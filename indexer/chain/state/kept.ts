import type { StateKind } from "../../../catapult/state/kind.js";
import type { Db } from "../../../database/database.js";
import { stateKindNumber } from "../../../database/queries/state-entries.js";
import type { StoredEntry } from "../../../ledger/engine/entry-loader.js";
import { isRemoved } from "../../../ledger/engine/omitted-part.js";
import type { ChangedState } from "../step/block-range.js";
import { insertAll } from "../step/insert.js";

/** Kinds of which execution needs more than the rows show; accounts have a column for it. */
const KEPT_KINDS: ReadonlySet<StateKind> = new Set(["namespace", "hashLock", "secretLock"]);

/** What is kept of an entry besides its row; with a value, there is no row. */
export interface KeptState {
  /** As in requests to the node. */
  readonly key: Buffer;
  readonly value: Buffer | undefined;
  readonly history: Buffer;
}

/** Whether an entry has rows: execution needs some that nodes, and so the interfaces, no longer show. */
export function isShown(kind: StateKind, { value, history }: Pick<ChangedState, "value" | "history">): boolean {
  return value !== undefined && !isRemoved(kind, history);
}

/** Replaces what is kept of these entries of a kind. */
export async function writeKept(trx: Db, kind: StateKind, entries: readonly ChangedState[]): Promise<void> {
  if (!KEPT_KINDS.has(kind)) return;
  const number = stateKindNumber(kind);
  const keys = entries.map(({ key }) => key);
  await trx.deleteFrom("kept_states").where("kind", "=", number).where("key", "in", keys).execute();
  const rows = entries.flatMap(({ key, value, history }) =>
    history ? [{ kind: number, key, value: isShown(kind, { value, history }) ? null : (value ?? null), history }] : [],
  );
  await insertAll(trx, "kept_states", rows);
}

/** What is kept of the entries of a kind. */
export async function readKept(db: Db, kind: StateKind): Promise<KeptState[]> {
  if (!KEPT_KINDS.has(kind)) return [];
  const rows = await db
    .selectFrom("kept_states")
    .select(["key", "value", "history"])
    .where("kind", "=", stateKindNumber(kind))
    .execute();
  return rows.map(({ key, value, history }) => ({ key, value: value ?? undefined, history }));
}

/** The entry of a removed one that is kept; undefined if the entry is shown. */
export function removedEntry({ value, history }: KeptState): StoredEntry | undefined {
  return value && { value, history };
}
