import { sql } from "kysely";
import type { Db } from "../../../database/database.js";
import { DAY_MS } from "../../../database/queries/daily-sums.js";

/**
 * Adds up the days that end before the day of the finalized block, each once: what is final does not change. Does nothing
 * while there is no such day, or while it is unknown when the network's time begins.
 * @returns whether there was one
 */
export async function addUpDays(db: Db): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ height: number; day: string }>`
      select b.height, (date '1970-01-01' + d.number::int4)::text as day
      from head h
      join blocks f on f.height = h.finalized_height
      cross join lateral (select (f.timestamp + h.epoch_adjustment) / ${DAY_MS}::int8 as number) d
      cross join lateral (
        select height from blocks where timestamp < d.number * ${DAY_MS}::int8 - h.epoch_adjustment
        order by timestamp desc limit 1) b
      where b.height > h.summed_height`.execute(trx);
    const [last] = rows;
    if (!last) return false;
    // After a fill these are all days. Statistics may be of empty tables, by which each row would be compared with each block.
    await sql`set local statement_timeout = 0`.execute(trx);
    await sql`set local enable_nestloop = off`.execute(trx);
    await sql`insert into daily_sums (measure, mosaic, day, key, count, amount)
      select measure, mosaic, day, key, count, amount from open_sums where day < ${last.day}::date`.execute(trx);
    await trx.updateTable("head").set({ summed_height: last.height }).execute();
    return true;
  });
}

/** Deletes the sums of the days of all blocks above a height, which are open again. */
export async function reopenDays(trx: Db, keptHeight: number): Promise<void> {
  const { rows } = await sql<{ height: number; day: string }>`
    select coalesce((
        select height from blocks where timestamp < d.number * ${DAY_MS}::int8 - h.epoch_adjustment
        order by timestamp desc limit 1), 0) as height,
      (date '1970-01-01' + d.number::int4)::text as day
    from head h
    join blocks b on b.height = ${keptHeight + 1}
    cross join lateral (select (b.timestamp + h.epoch_adjustment) / ${DAY_MS}::int8 as number) d
    where h.summed_height > ${keptHeight}`.execute(trx);
  const [first] = rows;
  if (!first) return;
  await sql`delete from daily_sums where day >= ${first.day}::date`.execute(trx);
  await trx.updateTable("head").set({ summed_height: first.height }).execute();
}
