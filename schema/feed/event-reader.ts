import type { Logger } from "pino";
import { Alarm } from "../../catapult/wire/alarm.js";
import { Backoff, type BackoffOptions } from "../../catapult/wire/backoff.js";
import type { Db } from "../../database/database.js";
import { EventListener } from "../../database/event-listener.js";
import { type EventTopic, readEventRange, readEvents } from "../../database/queries/events.js";
import {
  type ApiError,
  EventsMissedError,
  type ResumeRange,
  ResumeRangeError,
  serviceUnavailable,
} from "../errors/errors.js";
import { reportDatabaseLost } from "../errors/failure.js";
import { EventFeed, type EventLog, type FeedOptions } from "./event-feed.js";
import { EventRows, type EventRowsOptions } from "./event-rows.js";
import { EventTail, type TailLimits } from "./event-tail.js";
import { PublishedEvent } from "./published-event.js";

/** Settings of an {@link EventReader}. */
export interface EventReaderSettings {
  /** Maximum events per read; default 500. */
  readonly batchSize: number;
  /** Maximum bytes of their data, which a single event may exceed; default 4,194,304. */
  readonly batchBytes: number;
  /** Polling interval in addition to notifications, in ms; default 5,000. */
  readonly pollIntervalMs: number;
  /** Timeout of connecting, and of each query on the listening connection, in ms; default 10,000. */
  readonly timeoutMs: number;
  /** Delays before reconnecting, and for a lagging replica; default 100 ms, doubling, up to 5,000 ms. */
  readonly backoff: Partial<BackoffOptions>;
  /** The limits of the newest events in memory, for consumers that catch up; default 2,000, and 4,194,304 bytes. */
  readonly tail: TailLimits;
  /** Events that are passed to consumers before others get the event loop; default 250. */
  readonly passedPerTurn: number;
}

const defaultSettings: EventReaderSettings = {
  batchSize: 500,
  batchBytes: 4 * 1024 * 1024,
  pollIntervalMs: 5_000,
  timeoutMs: 10_000,
  backoff: { initialMs: 100, maxMs: 5_000 },
  tail: { events: 2_000, bytes: 4 * 1024 * 1024 },
  passedPerTurn: 250,
};

export interface EventReaderOptions extends EventRowsOptions {
  /** Connection string of the primary database: a standby does not support LISTEN. */
  readonly url: string;
  /** Whether that is a replica; default false. */
  readonly isReplica?: boolean;
  /**
   * Called when the database has changed, before the events of the change are delivered: what was read before may have
   * changed. `isFollowing`: whether it will be called for the next change too. A replica is followed by its own events
   * only: nothing else shows how far it is.
   */
  readonly onNews?: ((isFollowing: boolean) => void) | undefined;
  readonly settings?: Partial<EventReaderSettings>;
}

/**
 * Follows the `events` table, the only one of a process: it reads each new event once, keeps the newest ones in memory,
 * and passes them to all consumers, from the newest event at its start on. A lost connection to the database costs
 * time only: it continues after the last event.
 */
export class EventReader implements EventLog {
  readonly #url: string;
  readonly #db: Db;
  readonly #isReplica: boolean;
  readonly #log: Logger;
  readonly #onNews: (isFollowing: boolean) => void;
  readonly #settings: EventReaderSettings;
  readonly #rows: EventRows;
  /** Consumers that follow the tail, by the keys of their topics. */
  readonly #followers = new Map<string, Set<EventFeed>>();
  readonly #feeds = new Set<EventFeed>();
  readonly #tail: EventTail;
  #publishedThrough = 0;
  readonly #alarm = new Alarm();
  readonly #reconnect: Backoff;
  readonly #started: Promise<void>;
  #markStarted: () => void = () => undefined;
  #running: Promise<void> | undefined;
  readonly #closing = new AbortController();
  /** Whether its position in the log is known. */
  #isPositioned = false;
  #isFollowing = false;
  #questions: ((newest: number) => void)[] = [];

  constructor(options: EventReaderOptions) {
    const { url, db, isReplica = false, log, onNews, settings } = options;
    this.#url = url;
    this.#db = db;
    this.#isReplica = isReplica;
    this.#log = log;
    this.#onNews = onNews ?? (() => undefined);
    this.#settings = { ...defaultSettings, ...settings };
    this.#tail = new EventTail(this.#settings.tail);
    this.#rows = new EventRows(options);
    this.#reconnect = new Backoff(this.#settings.backoff);
    this.#started = new Promise((resolve) => {
      this.#markStarted = resolve;
    });
  }

  /** Sequence of the newest event that all consumers have; undefined before the database was reached. */
  get sequence(): number | undefined {
    return this.#isPositioned ? this.#publishedThrough : undefined;
  }

  get readThrough(): number {
    return this.#tail.last;
  }

  get publishedThrough(): number {
    return this.#publishedThrough;
  }

  /** Number of open feeds. */
  get feeds(): number {
    return this.#feeds.size;
  }

  /** Number of topics that are followed. */
  get topics(): number {
    return this.#followers.size;
  }

  /**
   * Starts following. Resolves when its position is known (or it was closed); while the database is unreachable it
   * retries, so callers that can do without events for now need not await it.
   */
  start(): Promise<void> {
    this.#running ??= this.#run();
    return this.#started;
  }

  /**
   * Events of some topics: from a sequence on, by default from now on, first from rows, then live, also across lost
   * connections. It throws {@link EventsMissedError} or EventBufferOverflowError when it cannot deliver all of them, and
   * ends when the reader is closed.
   * @param signal ends it
   * @throws ApiError ServiceUnavailable before the position is known: events until then would be missed unnoticed;
   *   ResumeRangeError
   */
  async events(
    topics: readonly EventTopic[],
    from: number | undefined,
    signal?: AbortSignal,
    options: FeedOptions = {},
  ): Promise<EventFeed> {
    const feed = this.open(options);
    try {
      if (from !== undefined) {
        const range = await this.range(from, from);
        if (from < range.oldest || from > range.next) throw new ResumeRangeError(range);
      }
      for (const topic of topics) feed.add(topic, from);
      signal?.addEventListener("abort", () => void feed.return());
      if (signal?.aborted) await feed.return();
      return feed;
    } catch (error) {
      await feed.return();
      throw error;
    }
  }

  /** The same without a topic yet. */
  open(options: FeedOptions = {}): EventFeed {
    const unknown = this.positionError;
    if (unknown) throw unknown;
    const feed = new EventFeed(this, options);
    this.#feeds.add(feed);
    if (this.#closing.signal.aborted) void feed.return();
    return feed;
  }

  /**
   * The range of valid starts.
   * @param least, greatest wanted starts: if they are in the tail, nothing is read
   */
  async range(min: number, max: number): Promise<ResumeRange> {
    const next = this.readThrough + 1;
    if (max <= next && min >= this.#tail.first) return { oldest: this.#tail.first, next };
    const { oldest, newest } = await readEventRange(this.#db);
    // Perhaps a lagging replica: other gateways may already have sent later events.
    return { oldest, next: (max > newest + 1 ? await this.newest() : newest) + 1 };
  }

  tailFrom(sequence: number): readonly PublishedEvent[] | undefined {
    return this.#tail.from(sequence);
  }

  follow(key: string, feed: EventFeed): void {
    const followers = this.#followers.get(key);
    if (followers) followers.add(feed);
    else this.#followers.set(key, new Set([feed]));
  }

  unfollow(key: string, feed: EventFeed): void {
    const followers = this.#followers.get(key);
    if (followers?.delete(feed) && followers.size === 0) this.#followers.delete(key);
  }

  forget(feed: EventFeed): void {
    this.#feeds.delete(feed);
  }

  readPage(...page: Parameters<EventRows["readPage"]>): Promise<void> {
    return this.#rows.readPage(...page);
  }

  /** Why clients cannot subscribe before the database was reached for the first time; undefined after it. */
  get positionError(): ApiError | undefined {
    if (this.#isPositioned || this.#closing.signal.aborted) return undefined;
    return serviceUnavailable("events are not followed yet, since the database is unreachable: try again");
  }

  /**
   * Current sequence of the newest event in the primary database.
   * @throws ApiError ServiceUnavailable when the database does not respond in time
   */
  newest(): Promise<number> {
    return new Promise((resolve, reject) => {
      const answer = (newest: number) => {
        clearTimeout(giveUp);
        resolve(newest);
      };
      const giveUp = setTimeout(() => {
        this.#questions = this.#questions.filter((question) => question !== answer);
        reject(serviceUnavailable("the database is unreachable: try again"));
      }, this.#settings.timeoutMs);
      giveUp.unref();
      this.#questions.push(answer);
      this.#alarm.ring();
    });
  }

  /** The database may be silent: it counts as not followed until it answers on the listening connection. */
  markUnreachable(): void {
    this.#report(false);
    this.#alarm.ring();
  }

  /** Ends every subscription and the connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#alarm.ring();
    for (const feed of [...this.#feeds]) await feed.return();
    await this.#running;
    this.#markStarted();
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        const retryInMs = Math.round(this.#reconnect.next());
        if (!reportDatabaseLost(this.#log, error, { retryInMs }))
          this.#log.warn({ err: error, retryInMs }, "Events cannot be read; trying again");
        await this.#alarm.sleep(retryInMs);
      }
    }
  }

  /** Follows over one connection, until it is lost (throws) or the source is closed. */
  async #follow(): Promise<void> {
    let lost: Error | undefined;
    let notified = 0;
    const listener = await EventListener.open({
      url: this.#url,
      timeoutMs: this.#settings.timeoutMs,
      onWake: (newest) => {
        notified = newest;
        // Without new events: state was read from the node, or blocks were backfilled.
        if (this.#isPositioned && newest <= this.readThrough) this.#report(!this.#isReplica);
        this.#alarm.ring();
      },
      onLost: (error) => {
        lost = error;
        this.#report(false);
        this.#alarm.ring();
      },
      signal: this.#closing.signal,
    });
    try {
      const behind = new Backoff(this.#settings.backoff);
      while (!this.#closing.signal.aborted) {
        if (lost) throw lost;
        // The notification contained the log's position: a query costs time.
        const isNotified = this.#isPositioned && notified > this.readThrough && this.#questions.length === 0;
        const sequence = this.#position(isNotified ? notified : await this.#ask(listener));
        if (sequence.reached) {
          this.#reconnect.reset();
          if (!this.#isFollowing && !this.#isReplica) this.#report(true);
          await this.#alarm.sleep(this.#settings.pollIntervalMs);
        } else if (await this.#readBatch(sequence.last)) {
          behind.reset();
        } else {
          notified = 0;
          await this.#alarm.sleep(behind.next());
        }
      }
    } finally {
      this.#report(false);
      listener.close();
    }
  }

  #report(isFollowing: boolean): void {
    this.#isFollowing = isFollowing;
    this.#onNews(isFollowing);
  }

  async #ask(listener: EventListener): Promise<number> {
    // Later requests want an answer that is newer than this one.
    const questions = this.#questions.splice(0);
    try {
      const newest = await listener.newestSequence();
      for (const answer of questions) answer(newest);
      return newest;
    } catch (error) {
      this.#questions.unshift(...questions);
      throw error;
    }
  }

  /** Our position if `newest` is the newest event in the primary database. */
  #position(newest: number): { last: number; reached: boolean } {
    if (!this.#isPositioned) {
      this.#log.debug({ sequence: newest }, "Following events");
      this.#restart(newest);
      this.#markStarted();
    }
    const last = this.readThrough;
    if (newest < last) {
      this.#log.error({ from: last, to: newest }, "The event log went back; continuing at its newest event");
      this.#restart(newest, new EventsMissedError(newest + 1, last));
    }
    return { last: this.readThrough, reached: this.readThrough === newest };
  }

  /** Delivers the next events; returns false if there were none, as on a replica that does not have them yet. */
  async #readBatch(after: number): Promise<boolean> {
    const { batchSize: count, batchBytes: bytes } = this.#settings;
    const events = await readEvents(this.#db, after, { count, bytes });
    const first = events[0];
    if (!first || this.#closing.signal.aborted) return false;
    if (first.sequence > after + 1) {
      const missed = new EventsMissedError(after + 1, first.sequence - 1);
      this.#log.error({ err: missed }, "Events were deleted before they were read");
      this.#restart(first.sequence - 1, missed);
    }
    this.#report(true);
    let passed = 0;
    for (const row of events) {
      const event = new PublishedEvent(row);
      this.#tail.append(event);
      for (const key of event.keys) {
        for (const feed of this.#followers.get(key) ?? []) {
          feed.push(event);
          passed += 1;
          if (passed % this.#settings.passedPerTurn !== 0) continue;
          await new Promise(setImmediate);
          if (this.#closing.signal.aborted) return true;
        }
      }
      this.#publishedThrough = event.sequence;
    }
    return true;
  }

  /** Continues after a sequence: with an error for all consumers if that is not where it was. */
  #restart(sequence: number, error?: EventsMissedError): void {
    this.#tail.restart(sequence);
    this.#isPositioned = true;
    this.#publishedThrough = sequence;
    if (error) for (const feed of [...this.#feeds]) feed.fail(error);
  }
}
