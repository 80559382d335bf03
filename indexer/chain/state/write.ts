import { sql } from "kysely";
import type { AccountState } from "../../../catapult/state/account.js";
import { STATE_KINDS, type StateKind } from "../../../catapult/state/kind.js";
import { decodeState, type StateByKind } from "../../../catapult/state/state.js";
import type { Db } from "../../../database/database.js";
import { type CollectionKey, NO_KEY, smallKey } from "../../../database/lists/collections.js";
import { writeMissingRule } from "../../../database/queries/missing-rules.js";
import { keyInColumn, stateId, stateKindNumber } from "../../../database/queries/state-entries.js";
import { STATE_TABLES, type StateTable } from "../../../database/queries/state-lists.js";
import type { BlockRange, ChangedState } from "../step/block-range.js";
import { insertAll } from "../step/insert.js";
import { readEarlierEnds } from "../step/registrations.js";
import { writeBalances } from "./balances.js";
import { writeDifference } from "./difference.js";
import { isShown, writeHidden } from "./hidden.js";
import { ListChanges } from "./list-changes.js";
import { type Columns, rowsOf } from "./tables.js";

/**
 * Maximum number of values whose rows are in memory at one time: the first block of the main network alone changes
 * 26,000.
 */
const VALUES_AT_A_TIME = 1_000;

/**
 * Writes how a range changes the state, in its transaction: rows and their counters, and what undoes them.
 * @param before the head row: number of its newest row of state, height of its finalized block
 * @returns number of the newest row of state
 */
export async function writeState(
  trx: Db,
  range: BlockRange,
  before: { readonly sequence: number; readonly finalizedHeight: number },
): Promise<number> {
  await writeReplaced(trx, range, range.final?.height ?? before.finalizedHeight);
  const writer = new StateWriter(trx, before.sequence);
  for (const kind of STATE_KINDS) {
    const values = range.values(kind);
    for (let start = 0; start < values.length; start += VALUES_AT_A_TIME) {
      await writer.write(kind, values.slice(start, start + VALUES_AT_A_TIME));
    }
  }
  await writer.counts.write(trx);
  return writer.sequence;
}

/** Stores entries replaced by blocks that may still be dropped; final blocks need none. */
async function writeReplaced(trx: Db, range: BlockRange, finalizedHeight: number): Promise<void> {
  await trx.deleteFrom("replaced_states").where("height", "<=", Math.max(range.floor, finalizedHeight)).execute();
  const rows = Array.from(range.replaced(), ({ height, kind, key, before }) => ({
    height,
    kind: stateKindNumber(kind),
    key,
    value: before?.value ?? null,
    history: before?.history ?? null,
  }));
  await insertAll(trx, "replaced_states", rows);
  await insertAll(trx, "voting_sets", range.votingSets);
  if (range.missingRule) await writeMissingRule(trx, range.missingRule);
  await writeDifference(trx, range, range.end.height);
}

interface NewRow {
  readonly id: Buffer;
  readonly columns: Columns;
}

class StateWriter {
  sequence: number;
  readonly #trx: Db;
  readonly counts = new ListChanges();

  constructor(trx: Db, sequence: number) {
    this.#trx = trx;
    this.sequence = sequence;
  }

  /** Updates the rows of these keys to their values; an existing row keeps its id. */
  async write<K extends StateKind>(kind: K, values: readonly ChangedState[]): Promise<void> {
    if (values.length === 0) return;
    const rules = STATE_TABLES[kind];
    const states = values.flatMap(({ value, history }) =>
      value && isShown(kind, { value, history }) ? [{ value, history, state: decodeState(kind, value) }] : [],
    );
    const old = await this.#readRows(
      rules,
      values.map(({ key }) => keyInColumn(kind, key)),
    );
    const earlierEnds = await readEarlierEnds(
      this.#trx,
      kind,
      states.map(({ state }) => state),
    );
    const rows: NewRow[] = [];
    const accounts = new Map<Buffer, AccountState | undefined>();
    for (const { state, value, history } of states) {
      for (const columns of rowsOf(kind, state, value, { history, earlierEnds })) {
        const name = nameOfRow(rules, columns);
        const before = old.get(name);
        old.delete(name);
        const id = before?.id ?? stateId(++this.sequence);
        rows.push({ id, columns });
        if (kind === "account") accounts.set(id, state as StateByKind["account"]);
        this.#count(rules, id, before?.columns, columns);
      }
    }
    const gone = [...old.values()];
    for (const { id, columns } of gone) {
      this.#count(rules, id, columns, undefined);
      if (kind === "account") accounts.set(id, undefined);
    }
    const ids = gone.map(({ id }) => id);
    if (ids.length > 0)
      await sql`delete from ${sql.table(rules.table)} where id = any(${ids}::bytea[])`.execute(this.#trx);
    await insertAll(
      this.#trx,
      rules.table,
      rows.map(({ id, columns }) => ({ id, ...columns }) as never),
      "id",
    );
    await writeBalances(this.#trx, accounts, this.counts);
    await writeHidden(this.#trx, kind, values);
  }

  /** The existing rows, by their identity, with the columns that determine their lists. */
  async #readRows(rules: StateTable, keys: readonly Buffer[]): Promise<Map<string, NewRow>> {
    const columns = [...new Set(["id", rules.rowColumn, ...rules.lists.map(({ column }) => column)])];
    const { rows } = await sql<Columns & { id: Buffer }>`
      select ${sql.join(columns.map((column) => sql.ref(column)))} from ${sql.table(rules.table)}
      where ${sql.ref(rules.keyColumn)} = any(${[...keys]}::bytea[])`.execute(this.#trx);
    return new Map(rows.map(({ id, ...rest }) => [nameOfRow(rules, rest), { id, columns: rest }]));
  }

  #count(rules: StateTable, id: Buffer, before: Columns | undefined, after: Columns | undefined): void {
    for (const list of before ? listsOf(rules, before) : []) this.counts.add(list, id, -1);
    for (const list of after ? listsOf(rules, after) : []) this.counts.add(list, id, 1);
  }
}

function nameOfRow(rules: StateTable, columns: Columns): string {
  return (columns[rules.rowColumn] as Buffer).toString("hex");
}

function listsOf(rules: StateTable, columns: Columns): CollectionKey[] {
  const lists: CollectionKey[] = rules.all === undefined ? [] : [{ collection: rules.all, key: NO_KEY }];
  for (const { counted: collection, column } of rules.lists) {
    if (collection === undefined) continue;
    const value = columns[column] as Buffer | number | null;
    if (value !== null) lists.push({ collection, key: typeof value === "number" ? smallKey(value) : value });
  }
  return lists;
}
