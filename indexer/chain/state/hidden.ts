import type { StateKind } from "../../../catapult/state/kind.js";
import type { Db } from "../../../database/database.js";
import { stateKindNumber } from "../../../database/queries/state-entries.js";
import type { StoredEntry } from "../../../ledger/engine/entry-loader.js";
import { isRemoved } from "../../../ledger/engine/omitted-part.js";
import type { ChangedState } from "../step/block-range.js";
import { insertAll } from "../step/insert.js";

/** Kinds of which execution needs more than the rows show; accounts have a column for it. */
const HIDDEN_KINDS: ReadonlySet<StateKind> = new Set(["namespace", "hashLock", "secretLock"]);

/** What no interface shows of an entry, and execution needs; with a value, there is no row. */
export interface HiddenState {
  /** The key as in requests to the node. */
  readonly key: Buffer;
  readonly value: Buffer | undefined;
  readonly history: Buffer;
}

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

/** What is hidden of the entries of a kind. */
export async function readHidden(db: Db, kind: StateKind): Promise<HiddenState[]> {
  if (!HIDDEN_KINDS.has(kind)) return [];
  const rows = await db
    .selectFrom("hidden_states")
    .select(["key", "value", "history"])
    .where("kind", "=", stateKindNumber(kind))
    .execute();
  return rows.map(({ key, value, history }) => ({ key, value: value ?? undefined, history }));
}

/** The entry that has no row; undefined if it is shown. */
export function removedEntry({ value, history }: HiddenState): StoredEntry | undefined {
  return value && { value, history };
}
