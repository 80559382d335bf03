import { sql } from "kysely";
import type { Db } from "../../database/database.js";
import { STATE_TABLES } from "../../database/queries/state-lists.js";
import { CHAIN_TABLES, computeFirstValue, POSITION_COLUMNS } from "../chain/step/chain-tables.js";
import { describeMismatch, textOf } from "./compare-rows.js";
import type { Findings } from "./findings.js";

const MAX_OF_A_TABLE = 100;

/** Verifies the head row, the finalized blocks and the sequences of events against the rest. `db` is a snapshot. */
export async function checkHead(db: Db, findings: Findings): Promise<void> {
  const head = await db.selectFrom("head").selectAll().executeTakeFirst();
  if (!head) return;
  const expect = (column: string, stored: unknown, expected: unknown) => {
    const problem = describeMismatch(textOf(stored), textOf(expected));
    if (problem !== undefined) findings.add({ table: "head", key: "id=1", column, problem });
  };
  const newest = await db.selectFrom("blocks").selectAll().orderBy("height", "desc").limit(1).executeTakeFirst();
  expect("height", head.height, newest?.height ?? 0);
  if (newest) {
    expect("hash", head.hash, newest.hash);
    expect("score", head.score, newest.score);
  }
  const finalized = await db
    .selectFrom("finalized_blocks")
    .selectAll()
    .orderBy("epoch", "desc")
    .orderBy("point", "desc")
    .limit(1)
    .executeTakeFirst();
  for (const column of ["epoch", "point", "height", "hash"] as const) {
    if (finalized) expect(`finalized_${column}`, head[`finalized_${column}`], finalized[column]);
  }
  await checkEvents(db, expect, head.event_sequence);
  await checkStateIds(db, expect, head.state_sequence);
  await checkFinalizedBlocks(db, findings);
  await checkNothingAbove(db, findings, head.height);
  findings.countChecked("head rows", 1);
}

type Expect = (column: string, stored: unknown, expected: unknown) => void;

/** The oldest events are deleted, but the existing ones are consecutive up to the newest. */
async function checkEvents(db: Db, expect: Expect, newest: number): Promise<void> {
  const { rows } = await sql<{ first: number | null; last: number; count: number }>`
    select min(sequence) as first, max(sequence) as last, count(*) as count from events`.execute(db);
  const [events] = rows;
  if (events?.first == null) return;
  expect("event_sequence", newest, events.last);
  expect("event_sequence", newest, events.first + events.count - 1);
}

/** Ids of state are derived from a number in the head row. */
async function checkStateIds(db: Db, expect: Expect, sequence: number): Promise<void> {
  for (const { table } of Object.values(STATE_TABLES)) {
    const { rows } = await sql<{ id: Buffer | null }>`
      select id from ${sql.table(table)} order by id desc limit 1`.execute(db);
    const highest = rows[0]?.id ? Number(rows[0].id.readBigUInt64BE(4)) : 0;
    if (highest > sequence) expect("state_sequence", sequence, highest);
  }
}

async function checkFinalizedBlocks(db: Db, findings: Findings): Promise<void> {
  const { rows: unordered } = await sql<{ epoch: number; point: number; height: number; before: number }>`
    select * from (
      select epoch, point, height, lag(height) over (order by epoch, point) as before from finalized_blocks) f
    where height < before order by epoch, point limit ${MAX_OF_A_TABLE}`.execute(db);
  for (const { epoch, point, height, before } of unordered) {
    const problem = `is ${height}, below ${before}, which was finalized before`;
    findings.add({ table: "finalized_blocks", key: `epoch=${epoch} point=${point}`, column: "height", problem });
  }
  const { rows } = await sql<{ epoch: number; point: number; height: number; hash: Buffer; expected: Buffer | null }>`
    select f.*, b.hash as expected from finalized_blocks f left join blocks b on b.height = f.height
    where b.hash is distinct from f.hash
    order by f.epoch, f.point limit ${MAX_OF_A_TABLE}`.execute(db);
  for (const { epoch, point, height, hash, expected } of rows) {
    const problem = expected
      ? `is ${textOf(hash)}, not ${textOf(expected)} as block ${height} has`
      : `belongs to block ${height}, which does not exist`;
    findings.add({ table: "finalized_blocks", key: `epoch=${epoch} point=${point}`, column: "hash", problem });
  }
}

async function checkNothingAbove(db: Db, findings: Findings, height: number): Promise<void> {
  const first = height + 1;
  const tables = [
    ...CHAIN_TABLES.map((table) => ({
      table,
      column: POSITION_COLUMNS[table],
      lowest: computeFirstValue(table, first),
    })),
    { table: "raw_blocks", column: "height", lowest: first },
    { table: "keys", column: "height", lowest: first },
  ];
  for (const { table, column, lowest } of tables) {
    const { rows } = await sql<{ value: unknown }>`
      select distinct ${sql.ref(column)} as value from ${sql.table(table)}
      where ${sql.ref(column)} >= ${lowest} limit ${MAX_OF_A_TABLE}`.execute(db);
    for (const row of rows) {
      findings.add({ table, key: `${column}=${textOf(row.value)}`, problem: `is above the head at ${height}` });
    }
  }
}
