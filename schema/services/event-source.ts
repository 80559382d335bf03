import type { Logger } from "pino";
import { Alarm } from "../../catapult/wire/alarm.js";
import { Backoff, type BackoffOptions } from "../../catapult/wire/backoff.js";
import type { Db } from "../../database/database.js";
import { EventListener } from "../../database/event-listener.js";
import { type EventTopic, readEvents } from "../../database/queries/events.js";
import { type ApiError, serviceUnavailable } from "./errors.js";
import { type EventSubscription, EventsMissedError } from "./event-subscription.js";
import { EventTopics } from "./event-topics.js";
import { reportDatabaseLost } from "./failure.js";
import { RecentEvents } from "./recent-events.js";

/** Settings of an {@link EventSource}. */
export interface EventSourceSettings {
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
  /** Maximum events queued for a subscriber before it is ended with an error; default 10,000. */
  readonly bufferLimit: number;
  /** Maximum bytes of their data; default 16,777,216. */
  readonly bufferBytes: number;
}

/** Number of subscriptions served before others get the event loop. */
const HANDED_OUT_PER_TURN = 200;

const defaultSettings: EventSourceSettings = {
  batchSize: 500,
  batchBytes: 4 * 1024 * 1024,
  pollIntervalMs: 5_000,
  timeoutMs: 10_000,
  backoff: { initialMs: 100, maxMs: 5_000 },
  bufferLimit: 10_000,
  bufferBytes: 16 * 1024 * 1024,
};

export interface EventSourceOptions {
  /** Connection string of the primary database: a standby does not support LISTEN. */
  readonly url: string;
  /** Database to read events from; may be a replica, whose lag is awaited. */
  readonly db: Db;
  /** Whether that is a replica; default false. */
  readonly isReplica?: boolean;
  readonly log: Logger;
  /**
   * Called when the database has changed, before the events of the change are delivered: what was read before may have
   * changed. `isFollowing`: whether it will be called for the next change too. A replica is followed by its own events
   * only: nothing else shows how far it is.
   */
  readonly onNews?: ((isFollowing: boolean) => void) | undefined;
  readonly settings?: Partial<EventSourceSettings>;
}

/**
 * Follows the `events` table and delivers each new event to its subscribers, in order and once, from the newest one
 * at the start on. A lost database connection only causes a delay: reading resumes after the last delivered event.
 */
export class EventSource {
  readonly #url: string;
  readonly #db: Db;
  readonly #isReplica: boolean;
  readonly #log: Logger;
  readonly #onNews: (isFollowing: boolean) => void;
  readonly #settings: EventSourceSettings;
  readonly #topics: EventTopics;
  /** Missed events, shared by the subscriptions that resume. */
  readonly recent = new RecentEvents();
  readonly #alarm = new Alarm();
  readonly #reconnect: Backoff;
  readonly #started: Promise<void>;
  #markStarted: () => void = () => undefined;
  #running: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #sequence: number | undefined;
  #isFollowing = false;
  #questions: ((newest: number) => void)[] = [];

  constructor({ url, db, isReplica = false, log, onNews, settings }: EventSourceOptions) {
    this.#url = url;
    this.#db = db;
    this.#isReplica = isReplica;
    this.#log = log;
    this.#onNews = onNews ?? (() => undefined);
    this.#settings = { ...defaultSettings, ...settings };
    this.#topics = new EventTopics({
      events: this.#settings.bufferLimit,
      bytes: this.#settings.bufferBytes,
    });
    this.#reconnect = new Backoff(this.#settings.backoff);
    this.#started = new Promise((resolve) => {
      this.#markStarted = resolve;
    });
  }

  /** Sequence of the last delivered event; undefined before the database was reached for the first time. */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  /** Number of open subscriptions. */
  get subscriptions(): number {
    return this.#topics.size;
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
   * Events of a topic from now on, also across lost connections. The iterator throws {@link EventsMissedError} or
   * EventBufferOverflowError when it cannot deliver all of them, and ends when the source is closed.
   * @throws ApiError ServiceUnavailable before the position is known: events until then would be missed unnoticed
   */
  subscribe(topic: EventTopic): EventSubscription {
    const unknown = this.positionError;
    if (unknown) throw unknown;
    const subscription = this.#topics.add(topic);
    if (this.#closing.signal.aborted) void subscription.return();
    return subscription;
  }

  /** Why clients cannot subscribe before the database was reached for the first time; undefined after it. */
  get positionError(): ApiError | undefined {
    if (this.#sequence !== undefined || this.#closing.signal.aborted) return undefined;
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
  doubt(): void {
    this.#report(false);
    this.#alarm.ring();
  }

  /** Ends every subscription and the connection. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#alarm.ring();
    this.#topics.endAll();
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
        if (this.#sequence !== undefined && newest <= this.#sequence) this.#report(!this.#isReplica);
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
        const isNotified = this.#sequence !== undefined && notified > this.#sequence && this.#questions.length === 0;
        const sequence = this.#place(isNotified ? notified : await this.#ask(listener));
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
  #place(newest: number): { last: number; reached: boolean } {
    if (this.#sequence === undefined) {
      this.#log.debug({ sequence: newest }, "Following events");
      this.#sequence = newest;
      this.#markStarted();
    }
    if (newest < this.#sequence) {
      this.#log.error({ from: this.#sequence, to: newest }, "The event log went back; continuing at its newest event");
      this.#topics.endAll(new EventsMissedError(newest + 1, this.#sequence));
      this.#sequence = newest;
    }
    return { last: this.#sequence, reached: this.#sequence === newest };
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
      this.#topics.endAll(missed);
    }
    this.#report(true);
    let handedOut = 0;
    for (const event of events) {
      handedOut += this.#topics.publish(event);
      this.#sequence = event.sequence;
      if (handedOut < HANDED_OUT_PER_TURN) continue;
      handedOut = 0;
      await new Promise(setImmediate);
      if (this.#closing.signal.aborted) return true;
    }
    return true;
  }
}
