import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { addUpDays, reopenDays } from "../../indexer/chain/step/daily-sums.js";
import { noteEpoch } from "../../indexer/chain/step/network.js";
import { describeRecorded } from "../support/describe-chains.js";
import type { IndexedDatabase } from "../support/indexer-fixture.js";
import { executedIndex } from "../support/recorded-index.js";

describeRecorded("sums by day", (chain) => {
  let index: IndexedDatabase;

  beforeAll(async () => {
    index = await executedIndex(chain);
    // Times are stretched, so that the blocks are of some days.
    await sql`update blocks set timestamp = timestamp * 400`.execute(index.db);
    await sql`update head set summed_height = 0, finalized_height = 0`.execute(index.db);
    await sql`delete from daily_sums`.execute(index.db);
  });

  afterAll(() => index?.drop());

  /** The first and last height of each day, and what is stored of it. */
  const days = async () =>
    (
      await sql<{ day: string; first: number; last: number; rows: number }>`
        select d.day::text, d.first, d.last, (select count(*) from daily_sums s where s.day = d.day)::int4 as rows
        from (select (time at time zone 'UTC')::date as day, min(height) as first, max(height) as last
          from analytics.blocks group by 1) d order by 1`.execute(index.db)
    ).rows;
  const sums = async (table: string) =>
    (
      await sql<object>`select measure, mosaic, day::text, key, count, amount from ${sql.table(table)}
        order by 1, 2, 3, 4`.execute(index.db)
    ).rows;
  const finalize = (height: number) =>
    index.db.updateTable("head").set({ finalized_height: height }).executeTakeFirstOrThrow();
  const summedHeight = async () =>
    (await index.db.selectFrom("head").select("summed_height").executeTakeFirstOrThrow()).summed_height;

  test("of a day are written once, when a block after it is final; until then its rows are read", async () => {
    const all = await sums("sums_by_day");
    const found = await days();
    expect(found.length).toBeGreaterThan(3);
    expect(found.map(({ rows }) => rows)).toEqual(found.map(() => 0));
    const [first, second, third] = found as [(typeof found)[0], (typeof found)[0], (typeof found)[0]];
    await finalize(first.last);
    expect(await addUpDays(index.db)).toBe(false);
    await finalize(second.first);
    expect(await addUpDays(index.db)).toBe(true);
    expect(await summedHeight()).toBe(first.last);
    expect((await days()).map(({ rows }) => rows > 0)).toEqual(found.map((one) => one === first));
    expect(await addUpDays(index.db)).toBe(false);
    expect(await sums("sums_by_day")).toEqual(all);
    // Several days at once, as after a pause.
    await finalize(found.at(-1)?.last ?? 0);
    expect(await addUpDays(index.db)).toBe(true);
    expect((await days()).map(({ rows }) => rows > 0)).toEqual(found.map((one) => one !== found.at(-1)));
    expect(await sums("sums_by_day")).toEqual(all);
    // An index that is filled again drops final blocks too.
    await index.db.transaction().execute((trx) => reopenDays(trx, third.first));
    expect(await summedHeight()).toBe(second.last);
    expect((await days()).map(({ rows }) => rows > 0)).toEqual(found.map((one) => one === first || one === second));
    expect(await sums("sums_by_day")).toEqual(all);
  });

  test("begin anew when the network's time turns out to begin at another moment", async () => {
    const { epoch_adjustment: epoch } = await index.db
      .selectFrom("head")
      .select("epoch_adjustment")
      .executeTakeFirstOrThrow();
    await noteEpoch(index.db, (epoch ?? 0) + 3_600_000);
    expect([await summedHeight(), await sums("daily_sums")]).toEqual([0, []]);
    await addUpDays(index.db);
    const stored = await sums("daily_sums");
    expect(stored.length).toBeGreaterThan(0);
    expect(await sums("sums_by_day")).toEqual(expect.arrayContaining(stored));
  });
});
