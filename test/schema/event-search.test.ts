import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { type EventTopic, findEvents, type StoredEvent } from "../../database/queries/events.js";
import { pruneEvents } from "../../indexer/prune-events.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import { maxRows, QueryPlans, scannedTables } from "../support/query-plans.js";

const EVENTS = 20_000;
const LIMIT = 100;
const PAGE = { count: LIMIT, bytes: 1_000_000 };
const CHANNELS = ["block", "confirmedAdded", "unconfirmedAdded", "status"] as const;

let database: TestDatabase;
let writer: EventWriter;
let plans: QueryPlans;
let db: Db;
let all: StoredEvent[];

beforeAll(async () => {
  database = await createMigratedDatabase();
  writer = new EventWriter(database.url);
  await writer.begin();
  await writer.query(`
    INSERT INTO events (sequence, channel, height, addresses, data, created_at)
      SELECT n, (ARRAY['${CHANNELS.join("','")}'])[1 + n % 4], n,
        CASE WHEN n % 4 = 0 THEN '{}' ELSE
          ARRAY[md5('busy ' || n % 3), md5('usual ' || n % 1000), md5('rare ' || n)]::bytea[] END,
        '{}', now() - make_interval(hours => CASE WHEN n <= ${EVENTS / 2} THEN 30 ELSE 1 END)
      FROM generate_series(1, ${EVENTS}) n;
    INSERT INTO event_addresses SELECT DISTINCT unnest(addresses), channel, sequence FROM events;
    UPDATE head SET event_sequence = ${EVENTS};
    ANALYZE events; ANALYZE event_addresses`);
  plans = new QueryPlans(database.url);
  db = openDatabase({ url: database.url, poolSize: 1 });
  all = await db.selectFrom("events").selectAll().orderBy("sequence").execute();
});

afterAll(async () => {
  await Promise.all([plans.close(), db.destroy()]);
  await writer.close();
  await database.drop();
});

/** md5 of a text as hex digits, as bytes. */
const address = (text: string) => Buffer.from(createHash("md5").update(text).digest("hex"));

function expected(topics: readonly EventTopic[], from: number): number[] {
  const key = (channel: string, address?: Buffer) => `${channel} ${address?.toString() ?? ""}`;
  const wanted = new Set(topics.map(({ channel, address }) => key(channel, address)));
  return all
    .filter(({ channel, addresses }) => [undefined, ...addresses].some((each) => wanted.has(key(channel, each))))
    .filter(({ sequence }) => sequence >= from)
    .slice(0, LIMIT)
    .map(({ sequence }) => sequence);
}

describe("events of topics are found by indexes, reading only the requested number of rows", () => {
  const on = (channel: EventTopic["channel"], text: string): EventTopic => ({ channel, address: address(text) });
  const cases: readonly [string, readonly EventTopic[]][] = [
    ["a channel", [{ channel: "block" }]],
    ["a channel without events", [{ channel: "droppedBlocks" }]],
    ["all channels", CHANNELS.map((channel) => ({ channel }))],
    ["a busy address", [on("confirmedAdded", "busy 1")]],
    ["a usual address", [on("status", "usual 3")]],
    ["a rare address", [on("confirmedAdded", "rare 12345")]],
    ["an unknown address", [on("confirmedAdded", "nobody")]],
    ["an address on a channel where it was never named", [on("block", "busy 1")]],
    ["a channel and an address on it", [{ channel: "status" }, on("status", "usual 3")]],
    ["several of each", [{ channel: "block" }, on("status", "usual 7"), on("confirmedAdded", "busy 2")]],
    ["a thousand addresses", Array.from({ length: 1_000 }, (_, n) => on("unconfirmedAdded", `rare ${n * 17}`))],
    ["no topic", []],
  ];

  test.each(cases)("%s", async (_what, topics) => {
    for (const from of [1, EVENTS / 2, EVENTS - 5, EVENTS + 1]) {
      const { events, oldest, newest } = await findEvents(db, topics, from, PAGE);
      expect({ from, found: events.map(({ sequence }) => sequence), oldest, newest }).toEqual({
        from,
        found: expected(topics, from),
        oldest: 1,
        newest: EVENTS,
      });
      const nodes = await plans.of((explained) => findEvents(explained, topics, from, PAGE));
      expect(scannedTables(nodes)).toEqual([]);
      expect(maxRows(nodes)).toBeLessThanOrEqual(Math.max(1, topics.length) * LIMIT);
    }
  });
});

test("old events are deleted by indexes", async () => {
  const nodes = await plans.of((explained) => pruneEvents(explained, 24 * 3_600_000, 500));
  expect(scannedTables(nodes)).toEqual([]);
  // `of` runs the statement a second time to explain it.
  expect((await findEvents(db, [{ channel: "block" }], 1, { ...PAGE, count: 1 })).oldest).toBe(1_001);
  const [{ oldest } = {}] = await writer.query("SELECT min(sequence)::int AS oldest FROM event_addresses");
  expect(oldest).toBe(1_001);
});
