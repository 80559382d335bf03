import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { startIndexer } from "../../indexer/indexer.js";
import { pruneEvents } from "../../indexer/prune-events.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { createMigratedDatabase } from "../support/database.js";
import { DevnetFixture } from "../support/devnet.js";
import { EventDatabase, EventWriter } from "../support/event-writer.js";
import { knownExecution } from "../support/known-networks.js";
import { until } from "../support/until.js";

const HOUR_MS = 3_600_000;

let events: EventDatabase;

beforeAll(async () => {
  events = await EventDatabase.create();
});

beforeEach(() => events.clear());

afterAll(() => events.close());

/** Writes one event for each age, in hours. */
async function writeAged(url: string, ...hours: number[]): Promise<void> {
  const own = new EventWriter(url);
  const last = await own.write(...hours.map((_, n) => ({ channel: "block" as const, data: { n } })));
  for (const [index, age] of hours.entries()) {
    const sequence = last - hours.length + 1 + index;
    await own.query(`UPDATE events SET created_at = now() - interval '${age} hours' WHERE sequence = ${sequence}`);
  }
  await own.close();
}

const left = async () => (await events.query("SELECT sequence::int FROM events ORDER BY 1")).map((row) => row.sequence);

test("events older than the retention time are deleted, in small steps", async () => {
  await writeAged(events.url, 50, 40, 30, 25, 23, 1);
  expect(await pruneEvents(events.db, 24 * HOUR_MS, 3)).toBe(3);
  expect(await left()).toEqual([4, 5, 6]);
  expect(await pruneEvents(events.db, 24 * HOUR_MS, 3)).toBe(1);
  expect(await pruneEvents(events.db, 24 * HOUR_MS, 3)).toBe(0);
  expect(await left()).toEqual([5, 6]);
});

test("no gap arises if the times are out of order", async () => {
  await writeAged(events.url, 30, 23, 25, 30, 1);
  expect(await pruneEvents(events.db, 24 * HOUR_MS, 1_000)).toBe(1);
  expect(await left()).toEqual([2, 3, 4, 5]);
});

test("the last one may be deleted; the sequence continues", async () => {
  await writeAged(events.url, 30, 30);
  expect(await pruneEvents(events.db, 24 * HOUR_MS, 1_000)).toBe(2);
  expect(await pruneEvents(events.db, 24 * HOUR_MS, 1_000)).toBe(0);
  expect(await events.write({ channel: "block", data: {} })).toBe(3);
});

test("the active indexer prunes, the standby does not", async () => {
  const devnet = await DevnetFixture.start();
  const own = await createMigratedDatabase();
  const start = (eventRetentionMs: number) =>
    startIndexer({
      databaseUrl: own.url,
      nodes: [devnet.devnet],
      credentials: clientCredentials,
      log: silentLog,
      execution: knownExecution,
      limits: { pollMs: 20, eventRetentionMs, pruneMs: 20 },
    });
  const looker = new EventWriter(own.url);
  const writes = await start(24 * HOUR_MS);
  const oldest = async () => Number((await looker.query("SELECT min(sequence) AS oldest FROM events"))[0]?.oldest);
  await until(async () => (await oldest()) === 1, "the first block was reported");
  const waits = await start(1);
  await writeAged(own.url, 40, 30, 1);
  await looker.query("UPDATE events SET created_at = now() - interval '30 hours' WHERE sequence < 3");
  await until(async () => (await oldest()) > 2, "the old ones are gone");
  // The standby would keep nothing.
  expect(await looker.query("SELECT 1 FROM events WHERE created_at < now() - interval '1 second'")).not.toEqual([]);
  await writes.stop();
  await until(async () => Number.isNaN(await oldest()) || (await oldest()) === 0, "the next writer prunes");
  await waits.stop();
  await looker.close();
  await own.drop();
  await devnet.stop();
});
