import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { findEvents, readEvents } from "../../database/queries/events.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";

const ADDRESS = Buffer.alloc(24, 7);

let database: TestDatabase;
let writer: EventWriter;
let db: Db;

beforeAll(async () => {
  database = await createMigratedDatabase();
  writer = new EventWriter(database.url);
  await writer.begin();
  db = openDatabase({ url: database.url, poolSize: 1 });
});

beforeEach(() => writer.clear());

afterAll(async () => {
  await db.destroy();
  await writer.close();
  await database.drop();
});

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

test("events are read up to a number of bytes, at least one", async () => {
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

test("addresses count too", async () => {
  const addresses = Array.from({ length: 200 }, (_, n) => Buffer.alloc(24, n));
  await writer.write(...Array.from({ length: 9 }, () => ({ channel: "confirmedAdded" as const, addresses, data: {} })));
  const [first, ...more] = await readEvents(db, 0, { count: 100, bytes: 30_000 });
  expect(more).toHaveLength(2);
  expect(first?.addresses).toEqual(addresses);
});
