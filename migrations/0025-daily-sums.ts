import { type Kysely, sql } from "kysely";
import { createView, schemaName } from "./0022-analytics.js";
import { DAILY_VIEWS } from "./0025-daily-views.js";

/** The UTC day of block `b`; `h` has when the network's time begins. */
const DAY = "date '1970-01-01' + ((b.timestamp + h.epoch_adjustment) / 86400000)::int4";
/** While that is unknown there are no days. */
const EPOCH = "(select epoch_adjustment from head where epoch_adjustment is not null) h";
const blockOf = (blocks: string, height: string) => `join ${blocks} b on b.height = ${height} cross join ${EPOCH}`;
/** The sum of the fees of transactions `t`: embedded ones, whose types are odd, pay none. */
const FEES = "sum(case when t.type & 1 = 0 then t.size::numeric * b.fee_multiplier else 0 end)";

/**
 * What each row adds to: measure, mosaic, day, key, count, amount. Numbers of measures are stored: 1 blocks with their
 * fees; 2 transactions with their fees, by type (marked) and 3 by signer (marked); 4 transfers of a mosaic with their
 * amounts, by the mark; 5 blocks with rewards for harvesting, by account; 6 and 7 blocks in which an account's balance
 * of a mosaic fell or rose.
 */
const SUMS: Readonly<Record<string, (rows: string, blocks: string) => string>> = {
  blocks: (rows) => `
    select 1, 0, ${DAY}, 0, count(*), sum(b.total_fee) from ${rows} b cross join ${EPOCH} group by 3`,
  transactions: (rows, blocks) => `
    select case when grouping(t.type) = 0 then 2 else 3 end, 0, ${DAY}, coalesce(t.type, t.signer), count(*), ${FEES}
    from ${rows} t ${blockOf(blocks, "(t.id >> 32)::int4")} group by grouping sets ((${DAY}, t.type), (${DAY}, t.signer))`,
  transaction_mosaics: (rows, blocks) => `
    select 4, m.mosaic >> 1, ${DAY}, m.mosaic & 1, count(*), sum(m.amount)
    from ${rows} m ${blockOf(blocks, "(m.id >> 32)::int4")} group by 2, 3, 4`,
  receipts: (rows, blocks) => `
    select 5, 0, ${DAY}, r.target, count(distinct r.statement_id), sum(r.amount)
    from ${rows} r ${blockOf(blocks, "(r.statement_id >> 32)::int4")} where r.type = 8515 and r.target is not null group by 3, 4`,
  balance_changes: (rows, blocks) => `
    select case when c.change < 0 then 6 else 7 end, c.mosaic, ${DAY}, c.account, count(*), sum(abs(c.change))
    from ${rows} c ${blockOf(blocks, "c.height")} group by 1, 2, 3, 4`,
};

/** The height of a row, of the tables whose blocks are looked up. */
const HEIGHTS: Readonly<Record<string, string>> = {
  transactions: "(id >> 32)::int4",
  transaction_mosaics: "(id >> 32)::int4",
  receipts: "(statement_id >> 32)::int4",
  balance_changes: "height",
};

/** The blocks of changed rows, which follow each other. */
const touchedBy = (height: string) => `touched as materialized (
    select height, timestamp, fee_multiplier from blocks
    where height between (select min(${height}) from changed) and (select max(${height}) from changed)),
  `;

/**
 * Blocks are found by their index, and joined by their hashes, whatever the planner believes: its statistics may be those of
 * an empty table, by which it would compare each row with each block.
 */
const ROBUST = "set enable_nestloop = off set enable_seqscan = off";
const ROW = "(measure, mosaic, day, key, count, amount)";
const KEY = "(measure, mosaic, day, key)";

/**
 * Sums by UTC day, which triggers keep in the transaction that writes or drops the rows: of every statement the rows
 * together. Whoever drops rows drops blocks last: their days are needed.
 *
 * When the network's time begins is written by an indexer, perhaps after blocks: then all days are filled.
 * Frozen: a later change is a later migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("daily_sums")
    .addColumn("count", "int8", (c) => c.notNull().check(sql`count >= 0`))
    .addColumn("day", "date", (c) => c.notNull())
    .addColumn("mosaic", "int4", (c) => c.notNull())
    .addColumn("key", "int4", (c) => c.notNull())
    .addColumn("measure", "int2", (c) => c.notNull())
    .addColumn("amount", "numeric", (c) => c.notNull())
    .addPrimaryKeyConstraint("daily_sums_pkey", ["measure", "mosaic", "day", "key"])
    .execute();
  // Rows of the newest days change with each block: room for a new version keeps it out of the index.
  await sql`alter table daily_sums set (fillfactor = 80)`.execute(db);
  for (const [table, sums] of Object.entries(SUMS)) {
    const height = HEIGHTS[table];
    const changed = `with ${height ? touchedBy(height) : ""}c ${ROW} as (${sums("changed", "touched")})`;
    await createTrigger(db, `add_days_of_${table}`, `after insert on ${table} referencing new table as changed`, [
      `${changed} insert into daily_sums as d ${ROW} select * from c
        on conflict ${KEY} do update set count = d.count + excluded.count, amount = d.amount + excluded.amount`,
    ]);
    await createTrigger(db, `drop_days_of_${table}`, `after delete on ${table} referencing old table as changed`, [
      `${changed}, left_over as (
          insert into daily_sums as d ${ROW} select * from c
          on conflict ${KEY} do update set count = d.count - excluded.count, amount = d.amount - excluded.amount
          returning ctid, count)
        select array_agg(ctid) into emptied from left_over where count = 0`,
      "delete from daily_sums where ctid = any (emptied)",
    ]);
  }
  const filled = [
    "delete from daily_sums",
    ...Object.entries(SUMS).map(([table, sums]) => fill(sums(table, "blocks"))),
  ];
  await sql
    .raw(
      `create function fill_days() returns trigger language plpgsql set search_path = ${await schemaName(db)}, pg_temp as $$ begin ${filled.join(";\n")}; return null; end $$;
      create trigger fill_days after update of epoch_adjustment on head for each row
        when (old.epoch_adjustment is distinct from new.epoch_adjustment) execute function fill_days()`,
    )
    .execute(db);
  for (const sums of Object.entries(SUMS).map(([table, of]) => fill(of(table, "blocks"))))
    await sql.raw(sums).execute(db);
  for (const [name, view] of Object.entries(DAILY_VIEWS)) await createView(db, name, view);
}

const fill = (sums: string): string => `insert into daily_sums ${ROW} ${sums}`;

async function createTrigger(db: Kysely<unknown>, name: string, when: string, work: readonly string[]): Promise<void> {
  await sql
    .raw(
      `create function ${name}() returns trigger language plpgsql ${ROBUST} set search_path = ${await schemaName(db)}, pg_temp as $$ declare emptied tid[]; begin ${work.join(";\n")}; return null; end $$;
      create trigger ${name} ${when} for each statement execute function ${name}()`,
    )
    .execute(db);
}
