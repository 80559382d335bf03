import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { EventTopic } from "../../database/queries/events.js";
import { EventBufferOverflowError, EventsMissedError } from "../../schema/errors/errors.js";
import { EventReader, type EventReaderOptions } from "../../schema/feed/event-reader.js";
import type { PublishedEvent } from "../../schema/feed/published-event.js";
import { silentLog } from "../support/connection-fixtures.js";
import { DatabaseRelay } from "../support/database-relay.js";
import { EventDatabase } from "../support/event-writer.js";
import { LogLines } from "../support/log-lines.js";
import { afterOwnTime, isWithin, until } from "../support/until.js";

let writer: EventDatabase;
let replica: EventDatabase;
const readers: EventReader[] = [];

beforeAll(async () => {
  [writer, replica] = await Promise.all([EventDatabase.create(), EventDatabase.create()]);
});

beforeEach(async () => {
  for (const each of [writer, replica]) await each.clear();
});

afterEach(async () => {
  await Promise.all(readers.splice(0).map((one) => one.close()));
});

afterAll(async () => {
  await Promise.all([writer.close(), replica.close()]);
});

function reader(options: Partial<EventReaderOptions> = {}): EventReader {
  const made = new EventReader({ url: writer.url, db: writer.db, log: silentLog, ...options });
  readers.push(made);
  return made;
}

/** Events of a channel from now on. */
const subscribe = async (events: EventReader, ...topics: EventTopic[]): Promise<Events> =>
  (await events.events(topics.length > 0 ? topics : [{ channel: "block" }], undefined)).oneByOne();

/** The next events of a subscription, by the number in their data. */
async function take(subscription: Events, count: number): Promise<number[]> {
  const taken: number[] = [];
  while (taken.length < count) {
    const { value, done } = await subscription.next();
    if (done) break;
    taken.push(numberOf(value));
  }
  return taken;
}

type Events = AsyncIterableIterator<PublishedEvent>;

const numberOf = (event: PublishedEvent): number => JSON.parse(event.data).n;
const block = (n: number) => ({ channel: "block" as const, data: { n } });

test("it starts at the newest event and returns every later one once, in batches too", async () => {
  await writer.write(block(1), block(2));
  const events = reader({ settings: { batchSize: 3 } });
  await expect(subscribe(events)).rejects.toThrow("events are not followed yet");
  await events.start();
  const blocks = await subscribe(events);
  expect(events.sequence).toBe(2);
  await writer.write(...[3, 4, 5, 6, 7, 8, 9, 10].map(block));
  await writer.write(block(11));
  expect(await take(blocks, 9)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(events.sequence).toBe(11);
});

test("events written without a NOTIFY are found by occasional polling", async () => {
  const events = reader({ settings: { pollIntervalMs: 50 } });
  await events.start();
  const blocks = await subscribe(events);
  await writer.query(
    `INSERT INTO events (sequence, channel, height, addresses, data) VALUES (1, 'block', 1, '{}', '{"n":1}');
     UPDATE head SET event_sequence = 1`,
  );
  expect(await take(blocks, 1)).toEqual([1]);
});

test("events of a rolled back transaction are never emitted", async () => {
  const events = reader({ settings: { pollIntervalMs: 20 } });
  await events.start();
  const blocks = await subscribe(events);
  await writer.query(
    `BEGIN;
     INSERT INTO events (sequence, channel, height, addresses, data) VALUES (1, 'block', 1, '{}', '{"n":666}');
     UPDATE head SET event_sequence = 1; NOTIFY symbol_events, '1'; SELECT pg_sleep(0.1); ROLLBACK`,
  );
  await writer.write(block(1));
  expect(await take(blocks, 1)).toEqual([1]);
});

test("ended subscriptions are forgotten", async () => {
  const events = reader();
  await events.start();
  const address = Buffer.alloc(24, 7);
  const open = [
    await subscribe(events),
    await subscribe(events),
    await subscribe(events, { channel: "status", address }),
  ];
  expect(events.feeds).toBe(3);
  const waiting = open[0]!.next();
  for (const subscription of open) await subscription.return?.();
  expect(await waiting).toEqual({ value: undefined, done: true });
  expect(events.feeds).toBe(0);
  const again = await subscribe(events);
  await writer.write(block(1));
  expect(await take(again, 1)).toEqual([1]);
});

test("closing ends every subscription, and later ones at once", async () => {
  const events = reader();
  await events.start();
  const blocks = await subscribe(events);
  const next = blocks.next();
  await events.close();
  expect(await next).toEqual({ value: undefined, done: true });
  expect(await (await subscribe(events)).next()).toEqual({ value: undefined, done: true });
  expect(events.feeds).toBe(0);
});

test("a subscriber that does not read ends with an error when too much waits for it, the others continue", async () => {
  const events = reader();
  await events.start();
  const told: string[] = [];
  const options = { waitingBytes: 800, onOverflow: () => told.push("overflow") };
  const feed = await events.events([{ channel: "block" }], undefined, undefined, options);
  const lazy = feed.oneByOne();
  const busy = await subscribe(events);
  const first = [take(lazy, 1), take(busy, 1)];
  await writer.write(block(1));
  expect(await Promise.all(first)).toEqual([[1], [1]]);
  const next = lazy.next();
  for (let n = 2; n <= 10; n++) {
    await writer.write(block(n));
    expect(await take(busy, 1)).toEqual([n]);
  }
  expect(numberOf((await next).value)).toBe(2);
  const taken = [3];
  expect(told).toEqual(["overflow"]);
  await expect(
    (async () => {
      for await (const event of lazy) taken.push(numberOf(event));
    })(),
  ).rejects.toThrow(EventBufferOverflowError);
  // Each takes about 134 bytes.
  expect(taken.slice(1)).toEqual([3, 4, 5, 6, 7, 8]);
  expect(await lazy.next()).toEqual({ value: undefined, done: true });
  expect(events.feeds).toBe(1);
});

describe("the database goes away", () => {
  test("it may be unavailable at the start", async () => {
    const relay = await new DatabaseRelay(writer.url).open();
    await relay.close();
    const settings = { backoff: { initialMs: 5, maxMs: 20 } };
    const events = reader({ url: relay.through(writer.url), settings });
    const started = events.start();
    expect(await isWithin(50, () => events.sequence !== undefined)).toBe(false);
    await relay.open();
    await started;
    const blocks = await subscribe(events);
    await writer.write(block(1));
    expect(await take(blocks, 1)).toEqual([1]);
    await events.close();
    await relay.close();
  });

  test("closing does not wait for a server that never answers", async () => {
    const accepted: Socket[] = [];
    const silent = createServer((socket) => accepted.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const events = reader({ url: withPort(writer.url, (silent.address() as AddressInfo).port) });
    const started = events.start();
    await until(() => accepted.length > 0, "it is connected");
    const closed = events.close().then(() => started);
    const tooLate = afterOwnTime(1_000).then(() => "too late");
    expect(await Promise.race([closed, tooLate])).toBeUndefined();
    for (const socket of accepted) socket.destroy();
    silent.close();
  });

  test("a connection that becomes silent is detected and replaced; nothing is missed", async () => {
    const relay = await new DatabaseRelay(writer.url).open();
    const lines = new LogLines();
    const events = reader({
      url: relay.through(writer.url),
      log: lines.logger,
      settings: { pollIntervalMs: 50, timeoutMs: 200, backoff: { initialMs: 5 } },
    });
    await events.start();
    const blocks = await subscribe(events);
    await writer.write(block(1));
    expect(await take(blocks, 1)).toEqual([1]);
    relay.fallSilent();
    await writer.write(block(2), block(3));
    await lines.waitFor(/Database connection lost|Events cannot be read/);
    relay.speak();
    expect(await take(blocks, 2)).toEqual([2, 3]);
    await events.close();
    await relay.close();
  });
});

describe("reading from a replica", () => {
  const settings = { pollIntervalMs: 1_000, backoff: { initialMs: 5, maxMs: 20 } };

  test("its delay is waited for", async () => {
    const events = reader({ db: replica.db, settings });
    await events.start();
    const blocks = await subscribe(events);
    const next = take(blocks, 3);
    await writer.write(block(1), block(2));
    expect(await isWithin(60, () => events.sequence !== 0)).toBe(false);
    await replica.write(block(1));
    await until(() => events.sequence === 1, "the first has arrived");
    await writer.write(block(3));
    await replica.write(block(2), block(3));
    expect(await next).toEqual([1, 2, 3]);
  });
});

describe("subscribers learn about lost events", () => {
  test("events that were deleted before they were read", async () => {
    const events = reader({ db: replica.db, settings: { backoff: { initialMs: 5, maxMs: 20 } } });
    await events.start();
    const blocks = await subscribe(events);
    await writer.write(block(1), block(2), block(3), block(4));
    await replica.query("UPDATE head SET event_sequence = 2");
    await replica.write(block(3), block(4));
    await expect(blocks.next()).rejects.toMatchObject({ constructor: EventsMissedError, from: 1, to: 2 });
    const again = await subscribe(events);
    await until(() => events.sequence === 4, "it went on");
    await writer.write(block(5));
    await replica.write(block(5));
    expect(await take(again, 1)).toEqual([5]);
  });

  test("an index that was rebuilt, whose events count from 1 again", async () => {
    await writer.write(block(1), block(2), block(3));
    const events = reader({ settings: { pollIntervalMs: 20 } });
    await events.start();
    const blocks = await subscribe(events);
    await writer.clear();
    await expect(blocks.next()).rejects.toBeInstanceOf(EventsMissedError);
    const again = await subscribe(events);
    await writer.write(block(100));
    expect(await take(again, 1)).toEqual([100]);
    expect(events.sequence).toBe(1);
  });
});

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
