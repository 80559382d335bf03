import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import type { StoredEvent } from "../../database/queries/events.js";
import { EventSource, type EventSourceOptions } from "../../schema/services/event-source.js";
import {
  EventBufferOverflowError,
  type EventSubscription,
  EventsMissedError,
} from "../../schema/services/event-subscription.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter } from "../support/event-writer.js";
import { freePort } from "../support/free-port.js";
import { afterOwnTime, isWithin, until } from "../support/until.js";

const log = pino({ level: "silent" });

let database: TestDatabase;
let replica: TestDatabase;
let writer: EventWriter;
let replicaWriter: EventWriter;
let db: Db;
let replicaDb: Db;
const sources: EventSource[] = [];

beforeAll(async () => {
  [database, replica] = await Promise.all([createMigratedDatabase(), createMigratedDatabase()]);
  writer = new EventWriter(database.url);
  replicaWriter = new EventWriter(replica.url);
  db = openDatabase({ url: database.url, poolSize: 2 });
  replicaDb = openDatabase({ url: replica.url, poolSize: 2 });
  await Promise.all([writer.begin(), replicaWriter.begin()]);
});

beforeEach(async () => {
  for (const each of [writer, replicaWriter]) await each.clear();
});

afterEach(async () => {
  await Promise.all(sources.splice(0).map((source) => source.close()));
});

afterAll(async () => {
  await Promise.all([writer.close(), replicaWriter.close(), db.destroy(), replicaDb.destroy()]);
  await Promise.all([database.drop(), replica.drop()]);
});

function source(options: Partial<EventSourceOptions> = {}): EventSource {
  const made = new EventSource({ url: database.url, db, log, ...options });
  sources.push(made);
  return made;
}

/** The next events of a subscription, by the number in their data. */
async function take(subscription: EventSubscription, count: number): Promise<number[]> {
  const taken: number[] = [];
  while (taken.length < count) {
    const { value, done } = await subscription.next();
    if (done) break;
    taken.push(numberOf(value));
  }
  return taken;
}

const numberOf = (event: StoredEvent): number => JSON.parse(event.data).n;
const block = (n: number) => ({ channel: "block" as const, data: { n } });

test("it starts at the newest event and returns every later one once, in batches too", async () => {
  await writer.write(block(1), block(2));
  const events = source({ settings: { batchSize: 3 } });
  expect(() => events.subscribe({ channel: "block" })).toThrow("events are not followed yet");
  await events.start();
  const blocks = events.subscribe({ channel: "block" });
  expect(events.sequence).toBe(2);
  await writer.write(...[3, 4, 5, 6, 7, 8, 9, 10].map(block));
  await writer.write(block(11));
  expect(await take(blocks, 9)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(events.sequence).toBe(11);
});

test("events written without a NOTIFY are found by occasional polling", async () => {
  const events = source({ settings: { pollIntervalMs: 50 } });
  await events.start();
  const blocks = events.subscribe({ channel: "block" });
  await writer.query(
    `INSERT INTO events (sequence, channel, height, addresses, data) VALUES (1, 'block', 1, '{}', '{"n":1}');
     UPDATE head SET event_sequence = 1`,
  );
  expect(await take(blocks, 1)).toEqual([1]);
});

test("events of a rolled back transaction are never emitted", async () => {
  const events = source({ settings: { pollIntervalMs: 20 } });
  await events.start();
  const blocks = events.subscribe({ channel: "block" });
  await writer.query(
    `BEGIN;
     INSERT INTO events (sequence, channel, height, addresses, data) VALUES (1, 'block', 1, '{}', '{"n":666}');
     UPDATE head SET event_sequence = 1; NOTIFY symbol_events, '1'; SELECT pg_sleep(0.1); ROLLBACK`,
  );
  await writer.write(block(1));
  expect(await take(blocks, 1)).toEqual([1]);
});

test("ended subscriptions are forgotten", async () => {
  const events = source();
  await events.start();
  const address = Buffer.alloc(24, 7);
  const open = [
    events.subscribe({ channel: "block" }),
    events.subscribe({ channel: "block" }),
    events.subscribe({ channel: "status", address }),
  ];
  expect(events.subscriptions).toBe(3);
  const waiting = open[0]!.next();
  for (const subscription of open) await subscription.return();
  expect(await waiting).toEqual({ value: undefined, done: true });
  expect(events.subscriptions).toBe(0);
  const again = events.subscribe({ channel: "block" });
  await writer.write(block(1));
  expect(await take(again, 1)).toEqual([1]);
});

test("closing ends every subscription, and later ones at once", async () => {
  const events = source();
  await events.start();
  const blocks = events.subscribe({ channel: "block" });
  const next = blocks.next();
  await events.close();
  expect(await next).toEqual({ value: undefined, done: true });
  expect(await events.subscribe({ channel: "block" }).next()).toEqual({ value: undefined, done: true });
  expect(events.subscriptions).toBe(0);
});

test("a subscriber that does not read ends with an error when its buffer is full, the others continue", async () => {
  const events = source({ settings: { bufferLimit: 5 } });
  await events.start();
  const [lazy, busy] = [events.subscribe({ channel: "block" }), events.subscribe({ channel: "block" })];
  for (let n = 1; n <= 8; n++) {
    await writer.write(block(n));
    expect(await take(busy, 1)).toEqual([n]);
  }
  expect(await take(lazy, 5)).toEqual([1, 2, 3, 4, 5]);
  await expect(lazy.next()).rejects.toThrow(EventBufferOverflowError);
  expect(await lazy.next()).toEqual({ value: undefined, done: true });
  expect(events.subscriptions).toBe(1);
});

describe("the database goes away", () => {
  test("it may be unavailable at the start", async () => {
    const port = await freePort();
    const events = source({ url: withPort(database.url, port), settings: { backoff: { initialMs: 5, maxMs: 20 } } });
    const started = events.start();
    expect(await isWithin(50, () => events.sequence !== undefined)).toBe(false);
    const proxy = await TcpProxy.start(database.url, port);
    await started;
    const blocks = events.subscribe({ channel: "block" });
    await writer.write(block(1));
    expect(await take(blocks, 1)).toEqual([1]);
    await proxy.close();
  });

  test("closing does not wait for a server that never answers", async () => {
    const accepted: Socket[] = [];
    const silent = createServer((socket) => accepted.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const events = source({ url: withPort(database.url, (silent.address() as AddressInfo).port) });
    const started = events.start();
    await until(() => accepted.length > 0, "it is connected");
    const closed = events.close().then(() => started);
    const tooLate = afterOwnTime(1_000).then(() => "too late");
    expect(await Promise.race([closed, tooLate])).toBeUndefined();
    for (const socket of accepted) socket.destroy();
    silent.close();
  });

  test("a connection that becomes silent is detected and replaced; nothing is missed", async () => {
    const proxy = await TcpProxy.start(database.url);
    const events = source({
      url: withPort(database.url, proxy.port),
      settings: { pollIntervalMs: 50, timeoutMs: 200, backoff: { initialMs: 5 } },
    });
    await events.start();
    const blocks = events.subscribe({ channel: "block" });
    await writer.write(block(1));
    expect(await take(blocks, 1)).toEqual([1]);
    proxy.silence();
    await writer.write(block(2), block(3));
    expect(await take(blocks, 2)).toEqual([2, 3]);
    await proxy.close();
  });
});

describe("reading from a replica", () => {
  const settings = { pollIntervalMs: 1_000, backoff: { initialMs: 5, maxMs: 20 } };

  test("its delay is waited for", async () => {
    const events = source({ db: replicaDb, settings });
    await events.start();
    const blocks = events.subscribe({ channel: "block" });
    const next = take(blocks, 3);
    await writer.write(block(1), block(2));
    expect(await isWithin(60, () => events.sequence !== 0)).toBe(false);
    await replicaWriter.write(block(1));
    await until(() => events.sequence === 1, "the first has arrived");
    await writer.write(block(3));
    await replicaWriter.write(block(2), block(3));
    expect(await next).toEqual([1, 2, 3]);
  });
});

describe("subscribers learn about lost events", () => {
  test("events that were deleted before they were read", async () => {
    const events = source({ db: replicaDb, settings: { backoff: { initialMs: 5, maxMs: 20 } } });
    await events.start();
    const blocks = events.subscribe({ channel: "block" });
    await writer.write(block(1), block(2), block(3), block(4));
    await replicaWriter.query("UPDATE head SET event_sequence = 2");
    await replicaWriter.write(block(3), block(4));
    await expect(blocks.next()).rejects.toMatchObject({ constructor: EventsMissedError, from: 1, to: 2 });
    const again = events.subscribe({ channel: "block" });
    await until(() => events.sequence === 4, "it went on");
    await writer.write(block(5));
    await replicaWriter.write(block(5));
    expect(await take(again, 1)).toEqual([5]);
  });

  test("an index that was rebuilt, whose events count from 1 again", async () => {
    await writer.write(block(1), block(2), block(3));
    const events = source({ settings: { pollIntervalMs: 20 } });
    await events.start();
    const blocks = events.subscribe({ channel: "block" });
    await writer.clear();
    await expect(blocks.next()).rejects.toBeInstanceOf(EventsMissedError);
    const again = events.subscribe({ channel: "block" });
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

/** Forwards connections to the database; existing ones can be silenced. */
class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();

  private constructor(target: URL) {
    this.#server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) socket.on("error", () => undefined);
      this.#pairs.add([near, far]);
      near.pipe(far).pipe(near);
    });
  }

  static async start(databaseUrl: string, port = 0): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(databaseUrl));
    await new Promise<void>((resolve) => proxy.#server.listen(port, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stops forwarding on the current connections; later ones work. */
  silence(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far);
      far.unpipe(near);
      for (const socket of [near, far]) socket.on("data", () => undefined);
    }
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
