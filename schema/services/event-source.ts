import type { Logger } from "pino";
import { Alarm } from "../../catapult/wire/alarm.js";
import { Backoff, type BackoffOptions } from "../../catapult/wire/backoff.js";
import type { Db } from "../../database/database.js";
import { EventListener } from "../../database/event-listener.js";
import { type EventTopic, readEvents } from "../../database/queries/events.js";
import { serviceUnavailable } from "./errors.js";
import { type EventSubscription, EventsMissedError } from "./event-subscription.js";
import { EventTopics } from "./event-topics.js";

/** Figures of an {@link EventSource}. */
export interface EventSourceSettings {
  /** Events read at once; default 500. */
  readonly batchSize: number;
  /** Bytes of their data, which one event alone may exceed; default 4,194,304. */
  readonly batchBytes: number;
  /** Looks for events at least so often, also when nothing woke it, in ms; default 5,000. */
  readonly pollIntervalMs: number;
  /** Connecting, and each question on the listening connection, in ms; default 10,000. */
  readonly timeoutMs: number;
  /** Waits before connecting again, and for a replica that is behind; default 100 ms, doubling, up to 5,000 ms. */
  readonly backoff: Partial<BackoffOptions>;
  /** Events that may wait for each subscriber before it is ended with an error; default 10,000. */
  readonly bufferLimit: number;
  /** Bytes of their data; default 16,777,216. */
  readonly bufferBytes: number;
}

/** Subscriptions that are given something before others get the event loop. */
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
  /** Connection string of the database that is written to: a standby takes no LISTEN. */
  readonly url: string;
  /** Where events are read from; may be a replica, whose delay is waited for. */
  readonly db: Db;
  readonly log: Logger;
  readonly settings?: Partial<EventSourceSettings>;
}

/**
 * Follows the `events` table and hands each new event to whom it concerns, in order and once, from the newest one at
 * the start on. A lost database connection only delays: reading goes on behind the last event that was handed out.
 */
export class EventSource {
  readonly #url: string;
  readonly #db: Db;
  readonly #log: Logger;
  readonly #settings: EventSourceSettings;
  readonly #topics: EventTopics;
  readonly #alarm = new Alarm();
  readonly #reconnect: Backoff;
  readonly #started: Promise<void>;
  #markStarted: () => void = () => undefined;
  #running: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #sequence: number | undefined;
  #questions: ((newest: number) => void)[] = [];

  constructor({ url, db, log, settings }: EventSourceOptions) {
    this.#url = url;
    this.#db = db;
    this.#log = log;
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

  /** Sequence of the last event that was handed out; undefined before the database was reached for the first time. */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  /** Subscriptions that are open. */
  get subscriptions(): number {
    return this.#topics.size;
  }

  /**
   * Begins to follow. Resolves when it knows where it stands (or was closed); while the database cannot be reached it
   * tries on, so callers that can live without events for now need not wait.
   */
  start(): Promise<void> {
    this.#running ??= this.#run();
    return this.#started;
  }

  /**
   * Events of a topic from now on, also across lost connections. The iterator throws {@link EventsMissedError} or
   * EventBufferOverflowError when it cannot give them all, and ends when the source is closed.
   */
  subscribe(topic: EventTopic): EventSubscription {
    const subscription = this.#topics.add(topic);
    if (this.#closing.signal.aborted) void subscription.return();
    return subscription;
  }

  /**
   * Sequence of the newest event in the database that is written to, asked now.
   * @throws ApiError ServiceUnavailable when the database does not answer in time
   */
  newest(): Promise<number> {
    return new Promise((resolve, reject) => {
      const answer = (newest: number) => {
        clearTimeout(giveUp);
        resolve(newest);
      };
      const giveUp = setTimeout(() => {
        this.#questions = this.#questions.filter((question) => question !== answer);
        reject(serviceUnavailable("the database cannot be reached: try again"));
      }, this.#settings.timeoutMs);
      giveUp.unref();
      this.#questions.push(answer);
      this.#alarm.ring();
    });
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
        this.#log.warn({ err: error, retryInMs }, "events cannot be read, trying again");
        await this.#alarm.sleep(retryInMs);
      }
    }
  }

  /** Follows over one connection, until it is lost (throws) or the source is closed. */
  async #follow(): Promise<void> {
    let lost: Error | undefined;
    let told = 0;
    const listener = await EventListener.open({
      url: this.#url,
      timeoutMs: this.#settings.timeoutMs,
      onWake: (newest) => {
        told = newest;
        this.#alarm.ring();
      },
      onLost: (error) => {
        lost = error;
        this.#alarm.ring();
      },
      signal: this.#closing.signal,
    });
    try {
      const behind = new Backoff(this.#settings.backoff);
      while (!this.#closing.signal.aborted) {
        if (lost) throw lost;
        // What woke us was told where the log stands: asking costs time.
        const isTold = this.#sequence !== undefined && told > this.#sequence && this.#questions.length === 0;
        const sequence = this.#place(isTold ? told : await this.#ask(listener));
        if (sequence.reached) {
          this.#reconnect.reset();
          await this.#alarm.sleep(this.#settings.pollIntervalMs);
        } else if (await this.#readBatch(sequence.last)) {
          behind.reset();
        } else {
          told = 0;
          await this.#alarm.sleep(behind.next());
        }
      }
    } finally {
      listener.close();
    }
  }

  async #ask(listener: EventListener): Promise<number> {
    // Who asks from now on wants an answer that is newer than this one.
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

  /** Where we stand when `newest` is the newest event in the database that is written to. */
  #place(newest: number): { last: number; reached: boolean } {
    if (this.#sequence === undefined) {
      this.#log.debug({ sequence: newest }, "following events");
      this.#sequence = newest;
      this.#markStarted();
    }
    if (newest < this.#sequence) {
      this.#log.error({ from: this.#sequence, to: newest }, "the event log went back, going on at its newest event");
      this.#topics.endAll(new EventsMissedError(newest + 1, this.#sequence));
      this.#sequence = newest;
    }
    return { last: this.#sequence, reached: this.#sequence === newest };
  }

  /** Hands out the next events; false when there were none, as on a replica that has not got them yet. */
  async #readBatch(after: number): Promise<boolean> {
    const { batchSize: count, batchBytes: bytes } = this.#settings;
    const events = await readEvents(this.#db, after, { count, bytes });
    const first = events[0];
    if (!first || this.#closing.signal.aborted) return false;
    if (first.sequence > after + 1) {
      const missed = new EventsMissedError(after + 1, first.sequence - 1);
      this.#log.error({ err: missed }, "events were deleted before they were read");
      this.#topics.endAll(missed);
    }
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
