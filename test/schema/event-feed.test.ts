import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { pino } from "pino";
import type { EventTopic } from "../../database/queries/events.js";
import { EventBufferOverflowError } from "../../schema/errors/errors.js";
import type { EventFeed } from "../../schema/feed/event-feed.js";
import { EventReader } from "../../schema/feed/event-reader.js";
import type { Slots } from "../../schema/feed/event-rows.js";
import { keyOf } from "../../schema/feed/published-event.js";
import { EventDatabase, type TestEvent } from "../support/event-writer.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { SeededRandom } from "../support/seeded-random.js";
import { until } from "../support/until.js";

/** Thousands by `TEST_SCHEDULES=5000`. */
const SCHEDULES = Number(process.env.TEST_SCHEDULES ?? 12);
const CONSUMERS = 8;
const EVENTS = 150;
const CHANNELS = ["block", "confirmedAdded", "status"] as const;
const ADDRESSES = [1, 2, 3].map((n) => Buffer.alloc(24, n));
const ALL: readonly EventTopic[] = CHANNELS.flatMap((channel) => [
  { channel },
  ...(channel === "block" ? [] : ADDRESSES.map((address) => ({ channel, address }))),
]);
/** Ends a schedule. */
const LAST: TestEvent = { channel: "finalizedBlock", data: {} };

const log = pino({ level: "silent" });
const turn = () => new Promise((resolve) => setImmediate(resolve));

let writer: EventDatabase;

beforeAll(async () => {
  writer = await EventDatabase.create(4);
});

afterAll(() => writer?.close());

/** What a consumer wants of a topic, and what it has received. */
interface Received {
  readonly key: string;
  readonly from: number;
  /** Of the last event when it left. */
  until?: number;
  readonly sequences: number[];
}

/** Takes events at drawn moments, and adds and removes topics meanwhile. */
class Consumer {
  readonly received: Received[] = [];
  /** Whether topics were added later, so that it may have gone back. */
  wentBack = false;
  readonly sequences: number[] = [];
  error: unknown;
  isDone = false;
  readonly #reader: EventReader;
  readonly #random: SeededRandom;
  readonly #feed: EventFeed;
  readonly #open = new Map<string, Received>();

  constructor(reader: EventReader, random: SeededRandom) {
    this.#reader = reader;
    this.#random = random;
    this.#feed = reader.open({ waitingBytes: random.below(4) === 0 ? 900 : 100_000 });
    this.#add({ channel: "finalizedBlock" });
    for (let count = random.below(3); count >= 0; count -= 1) this.#add(this.#drawn());
  }

  async run(): Promise<void> {
    try {
      for await (const batch of this.#feed) {
        for (const { event, keys } of batch) {
          this.sequences.push(event.sequence);
          for (const key of keys) this.#open.get(key)?.sequences.push(event.sequence);
          if (event.channel === LAST.channel) return;
        }
        for (let turns = this.#random.below(6); turns > 0; turns -= 1) await turn();
        const drawn = this.#random.below(12);
        if (drawn === 0) {
          this.#add(this.#drawn());
          this.wentBack = true;
        } else if (drawn === 1) this.#remove(this.#drawn());
      }
    } catch (error) {
      this.error = error;
    } finally {
      await this.#feed.return();
      this.isDone = true;
    }
  }

  #drawn(): EventTopic {
    return ALL[this.#random.below(ALL.length)]!;
  }

  #add(topic: EventTopic): void {
    const key = keyOf(topic.channel, topic.address);
    if (this.#open.has(key)) return;
    const next = this.#reader.readThrough + 1;
    const from = this.#random.below(3) === 0 ? undefined : 1 + this.#random.below(next);
    const received = { key, from: from ?? next, sequences: [] };
    this.received.push(received);
    this.#open.set(key, received);
    this.#feed.add(topic, from);
  }

  #remove(topic: EventTopic): void {
    const key = keyOf(topic.channel, topic.address);
    const received = this.#open.get(key);
    if (!received) return;
    this.#feed.remove(topic);
    this.#open.delete(key);
    received.until = received.sequences.at(-1) ?? 0;
  }
}

/** Waits a drawn number of turns before and after the work. */
function drawnPlaces(random: SeededRandom): Slots {
  return {
    run: async (_client, signal, work) => {
      for (let turns = random.below(4); turns > 0; turns -= 1) await turn();
      signal?.throwIfAborted();
      const result = await work();
      for (let turns = random.below(8); turns > 0; turns -= 1) await turn();
      return result;
    },
  };
}

function drawnEvent(random: SeededRandom): TestEvent {
  const channel = CHANNELS[random.below(CHANNELS.length)]!;
  const addresses = channel === "block" ? [] : ADDRESSES.filter(() => random.below(2) === 0);
  return { channel, addresses, data: { padding: "x".repeat(random.below(60)) } };
}

test(
  `${SCHEDULES} schedules (TEST_SCHEDULES): every wanted event once, in order, without a gap, or a clear rejection`,
  async () => {
    const random = new SeededRandom();
    let delivered = 0;
    for (let schedule = 0; schedule < SCHEDULES; ++schedule) {
      await writer.clear();
      const written: TestEvent[] = [];
      const write = async (count: number) => {
        const events = Array.from({ length: count }, () => drawnEvent(random));
        written.push(...events);
        await writer.write(...events);
      };
      await write(1 + random.below(40));
      const reader = new EventReader({
        ...{ url: writer.url, db: writer.db, log, reads: drawnPlaces(random) },
        settings: {
          ...{
            batchSize: 1 + random.below(9),
            tail: { events: 1 + random.below(20), bytes: 4_000 },
            passedPerTurn: 1 + random.below(4),
          },
          ...{ pollIntervalMs: 50, backoff: { initialMs: 1, maxMs: 10 } },
        },
      });
      await reader.start();
      const consumers: Consumer[] = [];
      while (written.length < EVENTS || consumers.length < CONSUMERS) {
        await write(1 + random.below(7));
        if (consumers.length < CONSUMERS && random.below(2) === 0) {
          const consumer = new Consumer(reader, random);
          consumers.push(consumer);
          void consumer.run();
        }
        for (let turns = random.below(5); turns > 0; turns -= 1) await turn();
        if (random.below(20) === 0) {
          await writer.query(
            `SELECT pg_terminate_backend(pid) FROM ${OWN_CONNECTIONS} WHERE application_name = 'symbol-gateway events'`,
          );
        }
      }
      written.push(LAST);
      const last = await writer.write(LAST);
      expect(last).toBe(written.length);
      await until(() => consumers.every(({ isDone }) => isDone), "every consumer has the last event");
      for (const { received, error, sequences, wentBack } of consumers) {
        if (error) expect(error).toBeInstanceOf(EventBufferOverflowError);
        for (const { key, from, until: left, sequences: got } of received) {
          const end = left ?? last;
          const expected = written.flatMap(({ channel, addresses = [] }, index) => {
            const isWanted = key === channel || addresses.some((address) => key === keyOf(channel, address));
            return isWanted && index + 1 >= from && index + 1 <= end ? [index + 1] : [];
          });
          delivered += got.length;
          // Nothing after the error, but everything before.
          const told = error ? expected.slice(0, got.length) : expected;
          expect({ schedule, key, from, got }).toEqual({ schedule, key, from, got: told });
        }
        if (!wentBack) expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
      }
      expect(reader.feeds).toBe(0);
      await reader.close();
    }
    expect(delivered).toBeGreaterThan(SCHEDULES * 100);
  },
  600_000 + SCHEDULES * 10_000,
);

test("a consumer that waits for missed events ends at once when it is left", async () => {
  const never: Slots = {
    run: (_client, signal) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  };
  await writer.clear();
  await writer.write({ channel: "block", data: {} });
  const reader = new EventReader({ url: writer.url, db: writer.db, log, pages: never });
  await reader.start();
  const leaving = new AbortController();
  const feed = await reader.events([{ channel: "block" }], 1, leaving.signal);
  const next = feed.next();
  leaving.abort();
  expect(await next).toEqual({ value: undefined, done: true });
  await reader.close();
});
