import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Db } from "../../database/database.js";
import { type EventTopic, findEvents, readEvents, type StoredEvent } from "../../database/queries/events.js";
import { pruneEvents } from "../../indexer/prune-events.js";
import { EventDatabase } from "../support/event-writer.js";
import { maxRows, QueryPlans, scannedTables } from "../support/query-plans.js";

const EVENTS = 20_000;
const LIMIT = 100;
const PAGE = { count: LIMIT, bytes: 1_000_000 };
const CHANNELS = ["block", "confirmedAdded", "unconfirmedAdded", "status"] as const;

let writer: EventDatabase;
let plans: QueryPlans;
let db: Db;
let all: StoredEvent[];

beforeAll(async () => {
  writer = await EventDatabase.create(1);
  ({ db } = writer);
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
  plans = new QueryPlans(writer.url);
  all = await db.selectFrom("events").selectAll().orderBy("sequence").execute();
});

afterAll(async () => {
  await plans?.close();
  await writer?.close();
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

describe("events are read up to a number of bytes", () => {
  const ADDRESS = Buffer.alloc(24, 7);

  beforeEach(() => writer.clear());

  /** Writes events whose data have about these sizes. */
  const write = (...sizes: number[]) =>
    writer.write(
      ...sizes.map((size) => ({
        channel: "confirmedAdded" as const,
        addresses: [ADDRESS],
        data: { padding: "x".repeat(size) },
      })),
    );

  const topics = [{ channel: "confirmedAdded" as const, address: ADDRESS }];

  test("at least one", async () => {
    await write(1_000, 1_000, 50_000, 1_000, 1_000, 1_000);
    const sequences = async (after: number, bytes: number, count = 100) => [
      (await readEvents(db, after, { count, bytes })).map(({ sequence }) => sequence),
      (await findEvents(db, topics, after + 1, { count, bytes })).events.map(({ sequence }) => sequence),
    ];
    expect(await sequences(0, 1_500)).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(await sequences(1, 1_500)).toEqual([
      [2, 3],
      [2, 3],
    ]);
    expect(await sequences(2, 1_500)).toEqual([[3], [3]]);
    expect(await sequences(3, 1e6)).toEqual([
      [4, 5, 6],
      [4, 5, 6],
    ]);
    expect(await sequences(3, 1e6, 2)).toEqual([
      [4, 5],
      [4, 5],
    ]);
    expect(await sequences(6, 1e6)).toEqual([[], []]);
  });

  test("to which addresses count too", async () => {
    const addresses = Array.from({ length: 200 }, (_, n) => Buffer.alloc(24, n));
    await writer.write(
      ...Array.from({ length: 9 }, () => ({ channel: "confirmedAdded" as const, addresses, data: {} })),
    );
    const [first, ...more] = await readEvents(db, 0, { count: 100, bytes: 30_000 });
    expect(more).toHaveLength(2);
    expect(first?.addresses).toEqual(addresses);
  });
});
