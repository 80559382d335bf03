import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { parseTime } from "../../schema/graph/formats.js";
import { GatewayFixture } from "../gateway/gateway-fixture.js";

/** Times of RFC 3339, as the languages of clients write them. */

const MS = Date.UTC(2026, 10, 27, 18, 0, 0);

describe("is read", () => {
  test.each<[text: string, ms: number]>([
    ["2026-11-27", MS - 18 * 3_600_000],
    ["2026-11-27T18:00", MS],
    ["2026-11-27T18:00:00", MS],
    ["2026-11-27T18:00:00Z", MS],
    ["2026-11-27t18:00:00z", MS],
    ["2026-11-28T03:00:00+09:00", MS],
    ["2026-11-27t12:30:00-05:30", MS],
    ["2026-11-27T18:00:00-00:00", MS],
    ["2026-11-27 18:00:00", MS],
    ["2026-11-28 03:00:00 09:00", MS],
    // JavaScript, Python, Java and Go, .NET.
    ["2026-11-27T18:00:00.123Z", MS + 123],
    ["2026-11-27T18:00:00.123000+00:00", MS + 123],
    ["2026-11-27T18:00:00.123000000Z", MS + 123],
    ["2026-11-27T18:00:00.1Z", MS + 100],
    ["2026-11-27T18:00:00.069Z", MS + 69],
    // Blocks from here on begin with the next whole millisecond.
    ["2026-11-27T18:00:00.1230001Z", MS + 124],
    [`2026-11-27T18:00:00.${"9".repeat(40)}Z`, MS + 1_000],
    [`2026-11-27T18:00:00.5${"0".repeat(400)}`, MS + 500],
    // PostgreSQL, whose zones of former times have seconds; ISO 8601 without separators, and with a comma; others.
    ["2026-11-27 18:00:00+00", MS],
    ["2026-11-27 18:00:00.5+00", MS + 500],
    ["2026-11-27 15:00:00.000001-03", MS + 1],
    ["2026-11-27 23:45:00+05:45", MS],
    ["2026-11-27 18:53:28+00:53:28", MS],
    ["2026-11-28T03:00:00+0900", MS],
    ["2026-11-28 03:00:00 +0900", MS],
    ["2026-11-28T03+09", MS],
    ["20261127T180000Z", MS],
    ["20261128T030000.123+0900", MS + 123],
    ["20261127", MS - 18 * 3_600_000],
    ["2026-11-27T18:00:00,25Z", MS + 250],
    ["2026-11-27T24:00:00Z", MS + 6 * 3_600_000],
    // As they arrive in a query string.
    ["2026-11-27 18:00:00 00", MS],
    ["2026-11-28T03:00:00 0900", MS],
    ["2026-11-28 03:00:00  0900", MS],
    ["2026-12-31T23:59:60Z", Date.UTC(2027, 0, 1)],
    ["1969-12-31T23:59:59.5Z", -500],
    ["1900-01-01", Date.UTC(1900, 0, 1)],
    ["9999-12-31T23:59:59Z", Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])("%s", (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });
});

test.each([
  "2026-02-29",
  "2026-13-01",
  "2026-11-27T25:00:00Z",
  "2026-11-27T18:60:00Z",
  "2026-11-27T18:00:61Z",
  "2026-11-27T18:00:00.Z",
  "2026-11-27T18:00:00+9",
  "2026-11-27  18:00:00",
  "2026-1127",
  "2026-11-27T18:0000",
  "2026-11-27T18:00:00+24:00",
  "2026-11-27T18:00:00+09:60",
  "2026-11-27T18:00:00+090",
  "1764266400",
  "27.11.2026",
  "+2026-11-27",
  "now",
  "",
])("%s is none", (text) => {
  expect(parseTime(text)).toBeUndefined();
});

describe("in all interfaces", () => {
  let gateway: GatewayFixture;

  beforeAll(async () => {
    gateway = await GatewayFixture.start(30);
  });

  afterAll(() => gateway?.close());

  async function heights(fromTime: string, toTime: string): Promise<number[][]> {
    const names = new URLSearchParams({ fromTime, toTime, pageSize: "100", order: "asc" });
    const rest = await gateway.get(`/blocks?${names}`);
    const query = `query ($fromTime: Time, $toTime: Time) {
      blocks(fromTime: $fromTime, toTime: $toTime, page: { pageSize: 100, order: asc }) { data { height } }
    }`;
    const graphql = await gateway.post("/graphql", { query, variables: { fromTime, toTime } });
    expect([rest.status, graphql.body.errors]).toEqual([200, undefined]);
    return [
      rest.body.data.map(({ block }: { block: { height: string } }) => Number(block.height)),
      graphql.body.data.blocks.data.map(({ height }: { height: number }) => height),
    ];
  }

  test("a fraction of any length, and instants before 1970, limit blocks", async () => {
    const { body } = await gateway.post("/graphql", { query: "{ block(height: 10) { time } }" });
    const time = String(body.data.block.time);
    const nano = time.replace(/(\.\d{3})Z$/, "$1000001z").replace("T", "t");
    const all = Array.from({ length: 30 }, (_, n) => n + 1);
    for (const found of await heights("1969-12-31T23:59:59.5Z", "2999-01-01")) expect(found).toEqual(all);
    for (const found of await heights("1900-01-01", "1969-12-31T23:59:59Z")) expect(found).toEqual([]);
    for (const found of await heights(time, "2999-01-01")) expect(found).toEqual(all.slice(9));
    for (const found of await heights(nano, "2999-01-01")) expect(found).toEqual(all.slice(10));
    for (const found of await heights("1900-01-01", nano)) expect(found).toEqual(all.slice(0, 10));
  });

  test("what SQL, CSV and JSON print is accepted, whatever the zone of the session", async () => {
    const client = new pg.Client({ connectionString: gateway.database.url });
    await client.connect();
    const { body } = await gateway.post("/graphql", { query: "{ block(height: 10) { time timestamp } }" });
    const { time, timestamp } = body.data.block;
    await client.query("update head set epoch_adjustment = $1", [Date.parse(time) - timestamp]);
    const expected = Array.from({ length: 30 - 9 }, (_, n) => n + 10);
    for (const zone of ["UTC", "Asia/Tokyo", "America/St_Johns", "Asia/Kathmandu"]) {
      await client.query(`set time zone '${zone}'`);
      const { rows } = await client.query<{ time: string; json: string }>(
        "select time::text as time, to_json(time) #>> '{}' as json from analytics.blocks where height = 10",
      );
      for (const text of [rows[0]!.time, rows[0]!.json]) {
        for (const found of await heights(text, "2999-01-01"))
          expect({ text, found }).toEqual({ text, found: expected });
      }
    }
    await client.end();
  });

  test("an invalid one is named", async () => {
    for (const name of ["fromTime", "toTime"]) {
      const { status, body } = await gateway.get(`/blocks?${name}=1960-02-30`);
      expect({ status, message: body.message }).toEqual({ status: 400, message: expect.stringContaining(name) });
    }
  });
});
