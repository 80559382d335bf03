import { sql } from "kysely";
import { TRANSACTION_TYPE } from "../../catapult/nouns/type-names.js";
import { searchByBalance } from "../../database/balances/account-balances.js";
import { balancesAfter, readAccountMovements } from "../../database/balances/account-movements.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { Collection, idKey } from "../../database/lists/collections.js";
import { readActivity, readBlockIntervals, readChangesByInterval } from "../../database/queries/activity.js";
import { findChildNames } from "../../database/queries/namespace-names.js";
import { readRanking } from "../../database/queries/ranking.js";
import { readActivityDetails, readTransactionActivity } from "../../database/queries/transaction-activity.js";
import { sqlQuestions, withValues } from "../support/sql-questions.js";
import type { Benchmark, Figure } from "./benchmark.js";
import { createRawDatabase, fillFromRaw } from "./filled-database.js";

/** A million transactions, with embedded ones. */
const BLOCKS = Number(process.env.BENCH_QUESTIONS_BLOCKS ?? 400_000);
const BLOCKS_OF_A_DAY = 2_880;
const HOLDERS = 330_000;
const CURRENCY = idKey(0x72c0_212e_67a0_8bcen);
const ROUNDS = 9;
const TARGET = { atMost: 200 };
const EPOCH = 1_615_853_185_000;
const DAY_MS = 86_400_000;

/** Questions of dashboards among a million transactions. */
export const questions: Benchmark = {
  name: "questions",
  title: "Questions of dashboards among a million transactions",
  about:
    `A generated chain of ${BLOCKS.toLocaleString("en-US")} blocks. The statements of docs/sql.md, for one day in its ` +
    `middle, as the role \`symbol_reader\`; pages of 20 of \`holders\` with ` +
    `${HOLDERS.toLocaleString("en-US")} holders, as GraphQL reads them from the database; its other fields over all days, ` +
    "those of one account of the busiest one.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const database = await createRawDatabase({ blocks: BLOCKS, seed: 1 });
  try {
    const { transactions } = await fillFromRaw(database.url, 2);
    const db = openDatabase({ url: database.url, poolSize: 1, statementTimeoutMs: 0 });
    try {
      say(`${transactions} transactions are stored`);
      const figures: Figure[] = [{ what: "transactions", samples: [transactions], unit: "" }];
      await writeHolders(db);
      say("Holders are written");
      return [...figures, ...(await holderTimes(db)), ...(await fieldTimes(db)), ...(await questionTimes(db))];
    } finally {
      await db.destroy();
    }
  } finally {
    await database.drop();
  }
}

async function timed(what: string, work: () => Promise<unknown>): Promise<Figure> {
  const samples: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const startedAt = performance.now();
    await work();
    // The first one warms up.
    if (round > 0) samples.push(performance.now() - startedAt);
  }
  return { what, samples, unit: "ms", target: TARGET };
}

/** Accounts with different balances of the currency, and what the indexer counts of them. */
async function writeHolders(db: Db): Promise<void> {
  const id = sql`decode(lpad(to_hex(n), 24, '0'), 'hex')`;
  const address = sql`decode('98', 'hex') || substring(sha256(n::text::bytea) for 23)`;
  await sql`insert into accounts
      (id, address, public_key, account_type, importance, importance_height, address_height, value)
    select ${id}, ${address}, sha256(n::text::bytea), 0, 0, 0, 1, '' from generate_series(1, ${HOLDERS}::int8) n`.execute(
    db,
  );
  await sql`insert into account_balances (id, mosaic_id, amount)
    select ${id}, ${CURRENCY}, 1100000 + n from generate_series(1, ${HOLDERS}::int8) n`.execute(db);
  await sql`insert into balance_levels (mosaic_id, level, count)
    select mosaic_id, (amount::int8 >> 16) << 16, count(*) from account_balances group by 1, 2`.execute(db);
  await sql`insert into counters (collection, key, count) values (${Collection.accountsByMosaic}, ${CURRENCY}, ${HOLDERS})`.execute(
    db,
  );
  await sql`insert into mosaics (id, mosaic_id, owner_address, supply, start_height, flags, divisibility, value)
    select id, ${CURRENCY}, address, 9000000000000000, 1, 2, 6, '' from accounts limit 1`.execute(db);
  await sql`update head set epoch_adjustment = ${EPOCH}`.execute(db);
  await sql`vacuum analyze`.execute(db);
}

async function holderTimes(db: Db): Promise<Figure[]> {
  const read = (pageNumber: number) =>
    searchByBalance(db, { mosaicId: CURRENCY.readBigUInt64BE() }, { pageNumber, pageSize: 20, order: "desc" });
  const deep = 10_000;
  const [holder] = (await read(deep)).data;
  const expected = BigInt(1_100_000 + HOLDERS - 20 * (deep - 1));
  if (holder?.amount !== expected) throw new Error(`the holder has ${holder?.amount}, not ${expected}`);
  return [await timed("holders: page 1", () => read(1)), await timed("holders: page 10,000", () => read(deep))];
}

/** Over all days; an address and hours over as much as one response has. */
async function fieldTimes(db: Db): Promise<Figure[]> {
  const mosaicId = CURRENCY.readBigUInt64BE();
  const { rows } = await sql<{ address: Buffer; newest: number }>`
    select k.key as address, (select max(timestamp) from blocks) as newest
    from (select account / 2 as number from transaction_addresses group by 1 order by count(*) desc limit 1) a
    join keys k on k.id = a.number`.execute(db);
  const [{ address, newest } = { address: Buffer.alloc(24), newest: 0 }] = rows;
  const request = (intervalMs: number, intervals: number) => ({
    ...{ fromTimestamp: Math.max(0, newest - intervals * intervalMs), toTimestamp: newest + 1 },
    ...{ intervalMs, shiftMs: intervalMs - (EPOCH % intervalMs) },
  });
  const [days, hours] = [request(DAY_MS, 1_000), request(DAY_MS / 24, 100)];
  const ranked = { fromHeight: 1, toHeight: BLOCKS, mosaicId, first: 10 };
  const filters = { "": {}, " of a type": { types: [TRANSACTION_TYPE.transfer] }, " of a mosaic": { mosaicId } };
  const works: readonly (readonly [what: string, work: () => Promise<unknown>])[] = [
    ["activity: blocks by day", () => readBlockIntervals(db, days)],
    ...Object.entries(filters).map(
      ([of, filter]) => [`activity${of} by day`, () => readTransactionActivity(db, filter, days)] as const,
    ),
    ["activity: active accounts by day", () => readActivityDetails(db, {}, days)],
    ["activity by hour, 100 hours", () => readActivity(db, hours)],
    ["activity of an account by hour, 100 hours", () => readTransactionActivity(db, { address }, hours)],
    ...(["HARVESTED", "SENT", "RECEIVED", "TRANSACTIONS", "IMPORTANCE"] as const).map(
      (by) => [`ranking: ${by}`, () => readRanking(db, { by, ...ranked })] as const,
    ),
    ["balanceSeries by day", () => readChangesByInterval(db, { address, mosaicId }, days)],
    [
      "movements: page 1, with balances",
      async () => balancesAfter(db, address, await readAccountMovements(db, { address }, { first: 20, order: "desc" })),
    ],
    ["namespacesByPrefix", () => findChildNames(db, { parentId: undefined, prefix: "a" }, { first: 20 })],
  ];
  const figures: Figure[] = [];
  for (const [what, work] of works) figures.push(await timed(what, work));
  return figures;
}

async function questionTimes(db: Db): Promise<Figure[]> {
  const from = BLOCKS / 2;
  const timeOf = async (height: number) =>
    (await sql<{ time: string }>`select time::text from analytics.blocks where height = ${height}`.execute(db)).rows[0]
      ?.time ?? "";
  const { rows } = await sql<{ account: string }>`
    select signer as account from analytics.transactions where height = ${from} and signer is not null limit 1`.execute(
    db,
  );
  const busiest = await sql<{ account: string }>`
    select analytics.address(k.key) as account from transaction_addresses a join keys k on k.id = a.account / 2
    where a.id >> 32 between ${from} and ${from + 100} group by 1 order by count(*) desc limit 1`.execute(db);
  const values = {
    account: rows[0]?.account ?? busiest.rows[0]?.account ?? "",
    mosaic: CURRENCY.toString("hex").toUpperCase(),
    word: "payment",
    from: await timeOf(from),
    to: await timeOf(from + BLOCKS_OF_A_DAY),
  };
  const figures: Figure[] = [];
  await sql`set role symbol_reader`.execute(db);
  for (const { number, title, statement } of sqlQuestions()) {
    const text = withValues(statement, values);
    figures.push(await timed(`${number}. ${title}`, () => sql.raw(text).execute(db)));
  }
  await sql`reset role`.execute(db);
  return figures;
}
