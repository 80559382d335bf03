import { sql } from "kysely";
import { EntityError } from "../../catapult/entity/entity-error.js";
import type { AccountState } from "../../catapult/state/account.js";
import type { StateKind } from "../../catapult/state/kind.js";
import { decodeState, type StateByKind } from "../../catapult/state/state.js";
import type { Db } from "../../database/database.js";
import { idKey } from "../../database/lists/collections.js";
import { STATE_TABLES, type StateTable } from "../../database/queries/state-lists.js";
import { type Columns, rowsOf } from "../chain/state/tables.js";
import { readEarlierEnds } from "../chain/step/registrations.js";
import { compareRows, keyOf } from "./compare-rows.js";
import type { Findings } from "./findings.js";

/** A row of state; all its columns. */
export type StateRow = Columns & { readonly id: Buffer; readonly value: Buffer };

const STATE_ROWS_AT_A_TIME = 250;
const MAX_ORPHANS = 100;

/**
 * Rows of a kind with a value, in the order of their ids, some at a time; or a random sample. A child namespace has
 * none: it belongs to its root.
 * @param db a snapshot each time
 */
export async function readStateRows(
  db: Db,
  kind: StateKind,
  { after, sample }: { readonly after?: Buffer | undefined; readonly sample?: number | undefined },
): Promise<StateRow[]> {
  const { table } = STATE_TABLES[kind];
  const behind = after ? sql`and id > ${after}` : sql``;
  const order = sample === undefined ? sql`id` : sql`random()`;
  const { rows } = await sql<StateRow>`
    select * from ${sql.table(table)} where value is not null ${behind}
    order by ${order} limit ${sample ?? STATE_ROWS_AT_A_TIME}`.execute(db);
  return rows;
}

/**
 * Verifies rows of state against a new rendering of their values: columns and balances. `db` is a snapshot.
 */
export async function checkStateRows(
  db: Db,
  kind: StateKind,
  rows: readonly StateRow[],
  findings: Findings,
): Promise<void> {
  const rules = STATE_TABLES[kind];
  const decoded = rows.flatMap((row) => {
    const state = decode(kind, row, rules, findings);
    return state ? [{ row, state }] : [];
  });
  const valid = decoded.map(({ row }) => row);
  const stored = kind === "namespace" ? await readFamilies(db, valid) : valid;
  const states = decoded.map(({ state }) => state);
  const earlierEnds = await readEarlierEnds(db, kind, states);
  const expected = decoded.flatMap(({ row, state }) => {
    // The history is not proven by a value, but by executing the next blocks.
    const history = (row.history as Buffer | null) ?? undefined;
    return rowsOf(kind, state, row.value, { history, earlierEnds });
  });
  compareRows(findings, { table: rules.table, key: [rules.rowColumn], expected, stored, origin: "any value" });
  if (kind === "account") {
    const accounts = decoded.map(({ row, state }) => ({ id: row.id, account: state as AccountState }));
    await checkBalances(db, accounts, findings);
  }
}

/** Finds rows whose parent row is missing. */
export async function checkStateOrphans(db: Db, findings: Findings): Promise<void> {
  const { rows: balances } = await sql<Columns>`
    select id, mosaic_id from account_balances b
    where not exists (select from accounts a where a.id = b.id) limit ${MAX_ORPHANS}`.execute(db);
  for (const row of balances) {
    findings.add({ table: "account_balances", key: keyOf(row, ["id", "mosaic_id"]), problem: "belongs to no account" });
  }
  const { rows: children } = await sql<Columns>`
    select namespace_id from namespaces c
    where value is null
      and not exists (select from namespaces r where r.namespace_id = c.level0 and r.value is not null)
    limit ${MAX_ORPHANS}`.execute(db);
  for (const row of children) {
    findings.add({
      table: "namespaces",
      key: keyOf(row, ["namespace_id"]),
      problem: "is below a missing root",
    });
  }
}

/** Compares accounts' balances with the sum of all changes by the chain's blocks. */
export async function checkBalanceSums(db: Db, findings: Findings): Promise<void> {
  const { rows } = await sql<{ address: Buffer; mosaic_id: Buffer; stored: string | null; expected: string | null }>`
    select address, mosaic_id, b.amount as stored, c.amount as expected
    from (select a.address, b.mosaic_id, b.amount from account_balances b join accounts a on a.id = b.id) b
    full join (
      select a.key as address, m.key as mosaic_id, s.amount
      from (select account, mosaic, sum(change) as amount from balance_changes group by account, mosaic) s
      left join keys a on a.id = s.account left join keys m on m.id = s.mosaic) c
      using (address, mosaic_id)
    where coalesce(b.amount, 0) <> coalesce(c.amount, 0)
    limit ${MAX_ORPHANS}`.execute(db);
  for (const row of rows) {
    const problem = `add up to ${row.expected ?? 0}, but the account has ${row.stored ?? 0}`;
    findings.add({ table: "balance_changes", key: keyOf(row, ["mosaic_id", "address"]), problem });
  }
  findings.countChecked("sums of balance changes", 1);
}

function decode(
  kind: StateKind,
  row: StateRow,
  { table, rowColumn }: StateTable,
  findings: Findings,
): StateByKind[StateKind] | undefined {
  try {
    return decodeState(kind, row.value);
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    findings.add({
      table,
      key: keyOf(row, [rowColumn]),
      column: "value",
      problem: `cannot be decoded: ${error.message}`,
    });
    return undefined;
  }
}

/** Roots with their children. */
async function readFamilies(db: Db, roots: readonly StateRow[]): Promise<Columns[]> {
  const { rows } = await sql<Columns>`
    select * from namespaces where level0 = any(${roots.map((row) => row.level0)}::bytea[])`.execute(db);
  return rows;
}

async function checkBalances(
  db: Db,
  accounts: readonly { readonly id: Buffer; readonly account: AccountState }[],
  findings: Findings,
): Promise<void> {
  const { rows: stored } = await sql<Columns>`
    select * from account_balances where id = any(${accounts.map(({ id }) => id)}::bytea[])`.execute(db);
  const expected = accounts.flatMap(({ id, account }) =>
    account.mosaics.map((mosaic) => ({ id, mosaic_id: idKey(mosaic.id), amount: mosaic.amount })),
  );
  const key = ["id", "mosaic_id"];
  compareRows(findings, { table: "account_balances", key, expected, stored, origin: "the account's value" });
}
