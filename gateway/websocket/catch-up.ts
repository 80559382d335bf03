import { setTimeout as sleep } from "node:timers/promises";
import type { ApiError } from "../../schema/errors.js";
import { toApiError } from "../../schema/failure.js";
import { ResumeRangeError } from "../../schema/missed-events.js";
import type { MissedReader } from "./missed.js";
import type { Message } from "./outbox.js";
import type { Topic } from "./topic.js";

/** What may wait in the client's socket when more of what it missed is read, in bytes. */
const WAITING_BYTES = 256 * 1024;
const LOOK_AGAIN_MS = 10;

/** A client that is brought up to date. */
export interface Resuming {
  /** Bytes that wait for it; undefined when it is gone. */
  readonly waitingBytes: number | undefined;
  send(message: Message): void;
  /** The topic cannot be brought up to date. */
  refuse(topic: string, error: ApiError): void;
  /** The topic is complete up to a sequence: from now on live messages behind it are to be sent, others are doubles. */
  complete(topic: string, sequence: number): void;
}

interface Behind {
  readonly topic: Topic;
  /** Settles when its live messages are delivered. */
  readonly opened: Promise<void>;
  /** Sequence of the first message that is wanted and was not sent. */
  next: number;
}

/**
 * Brings topics of one connection, subscribed together, up to date: reads what was missed, page by page at the client's
 * pace, in the order of the events over all of them; then what came live meanwhile. Every message is sent exactly once.
 */
export class CatchUp {
  readonly #reader: MissedReader;
  readonly #client: Resuming;
  readonly #behind = new Map<string, Behind>();
  /** Live messages since a question was asked: those before are in its answer. */
  #live: Message[] | undefined;

  constructor(reader: MissedReader, client: Resuming) {
    this.#reader = reader;
    this.#client = client;
  }

  /** Topics that are not up to date yet. */
  get size(): number {
    return this.#behind.size;
  }

  /** Adds a topic; only before {@link run}. */
  add(topic: Topic, from: number, opened: Promise<void>): void {
    this.#behind.set(topic.text, { topic, opened, next: from });
  }

  /** Takes a topic away: it was left, or refused. */
  drop(topic: string): void {
    this.#behind.delete(topic);
  }

  /** Takes a live message of one of its topics. */
  take(message: Message): void {
    this.#live?.push(message);
  }

  /** Sends all that was missed, and what came meanwhile, unless the client goes away. Never rejects. */
  async run(): Promise<void> {
    await Promise.all([...this.#behind.values()].map(({ opened }) => opened));
    await this.#checkGreatest();
    while (this.#behind.size > 0 && (await this.#clientIsReady())) {
      const live: Message[] = [];
      this.#live = live;
      try {
        if (await this.#sendPage()) this.#finish(live);
      } catch (error) {
        this.#refuse(error);
      } finally {
        this.#live = undefined;
      }
    }
  }

  /** Pages are read from the smallest start on: whether the greatest one is in range would not show. */
  async #checkGreatest(): Promise<void> {
    const topics = [...this.#behind.values()].sort((a, b) => b.next - a.next);
    const [greatest] = topics;
    if (!greatest || topics.at(-1)?.next === greatest.next) return;
    await this.#reader.read([greatest.topic], greatest.next).catch((error) => this.#refuse(error));
  }

  /** @returns true when nothing is left but what came live meanwhile */
  async #sendPage(): Promise<boolean> {
    const topics = [...this.#behind.values()];
    const from = Math.min(...topics.map(({ next }) => next));
    const { messages, through, isLast } = await this.#reader.read(
      topics.map(({ topic }) => topic),
      from,
    );
    let upToDate = isLast;
    for (const message of messages) {
      if (!this.#isReady) {
        // That may take long: what comes meanwhile is asked for again.
        upToDate = false;
        this.#live = undefined;
        if (!(await this.#clientIsReady())) return false;
      }
      const behind = this.#behind.get(message.topic);
      if (behind && message.sequence >= behind.next) this.#client.send(message);
    }
    for (const behind of topics) behind.next = Math.max(behind.next, through + 1);
    return upToDate;
  }

  #finish(live: readonly Message[]): void {
    for (const message of live) {
      const behind = this.#behind.get(message.topic);
      if (!behind || message.sequence < behind.next) continue;
      this.#client.send(message);
      behind.next = message.sequence + 1;
    }
    for (const [topic, { next }] of this.#behind) this.#client.complete(topic, next - 1);
    this.#behind.clear();
  }

  /** Ends the topics that cannot be brought up to date: those that start out of range, or all. */
  #refuse(error: unknown): void {
    const refusal = toApiError(error);
    for (const [text, { next }] of [...this.#behind]) {
      if (refusal instanceof ResumeRangeError && next >= refusal.oldest && next <= refusal.next) continue;
      this.#behind.delete(text);
      this.#client.refuse(text, refusal);
    }
  }

  get #isReady(): boolean {
    return (this.#client.waitingBytes ?? 0) <= WAITING_BYTES;
  }

  /** @returns false when it is gone */
  async #clientIsReady(): Promise<boolean> {
    while (!this.#isReady) await sleep(LOOK_AGAIN_MS);
    return this.#client.waitingBytes !== undefined;
  }
}
