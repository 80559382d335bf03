import { ResumeRangeError } from "../../schema/events/missed-events.js";
import { ApiError } from "../../schema/services/errors.js";
import type { FairQueue } from "../clients/fair-queue.js";
import { CatchUp } from "./catch-up.js";
import type { Framing } from "./framing.js";
import type { MissedReader } from "./missed.js";
import type { RenderedEvent } from "./rendered-event.js";
import { type OutgoingStream, SendQueue, type SendQueueOwner } from "./send-queue.js";
import type { SharedTopics } from "./shared-topics.js";
import { type Subscriber, Subscription, type TopicEvent } from "./subscription.js";
import { parseTopic } from "./topic.js";

/** Maximum number of subscriptions that catch up together. */
export const SUBSCRIPTIONS_IN_CATCH_UP = 1_000;

/** Shared services of all recipients. */
export interface RecipientServices {
  readonly topics: SharedTopics;
  readonly missed: MissedReader;
  readonly steps: FairQueue;
}

/** Limits of one recipient. */
export interface RecipientLimits {
  readonly subscriptionsPerConnection: number;
  /** Bytes queued while the client does not read. */
  readonly bufferedBytes: number;
}

/** Counters that recipients update. */
export interface RecipientCounters {
  subscriptions: number;
  messagesSent: number;
}

/** The connection that a recipient belongs to. */
export interface RecipientOwner {
  readonly stream: OutgoingStream;
  readonly framing: Framing;
  readonly clientKey: string;
  readonly isOpen: boolean;
  /** Writes the parts of one message to the stream, together. */
  write(parts: readonly Buffer[]): void;
  /** The subscription to a topic, as the client spelled it, has ended, because it cannot be fulfilled. */
  onRejected(error: ApiError, topic: string): void;
  /** The client reads too slowly. */
  onOverflow(): void;
  /** Messages may have been missed. */
  onMissed(): void;
}

export interface RecipientOptions {
  readonly owner: RecipientOwner;
  readonly services: RecipientServices;
  readonly limits: RecipientLimits;
  readonly counters: RecipientCounters;
  /** See {@link CatchUp}. */
  readonly half?: number | undefined;
}

/** Subscriptions that are not simply live. */
interface Resumption {
  /** Subscriptions that are catching up. */
  readonly catchingUp: Map<Subscription, CatchUp>;
  /** Caught-up subscriptions: live messages up to this sequence were sent already. */
  readonly complete: Map<Subscription, number>;
}

/** What one connection receives, whatever its protocol: its subscriptions, and its outgoing messages. */
export class Recipient implements Subscriber, SendQueueOwner {
  readonly stream: RecipientOwner["stream"];
  readonly framing: Framing;
  readonly clientKey: string;
  readonly #options: RecipientOptions;
  /** By the topic's text. */
  readonly #subscriptions = new Map<string, Subscription>();
  #resumption: Resumption | undefined;
  /** Accepts more subscriptions until it starts, when everything that the client has requested together is handled. */
  #nextCatchUp: CatchUp | undefined;
  #lastCatchUp: Promise<void> | undefined;
  #startCatchUp: (() => void) | undefined;
  /** Aborted when nothing more is sent; only if something was missed. */
  #gone: AbortController | undefined;
  /** While messages are pending. */
  #queue: SendQueue | undefined;

  constructor(options: RecipientOptions) {
    const { stream, framing, clientKey } = options.owner;
    this.#options = options;
    this.stream = stream;
    this.framing = framing;
    this.clientKey = clientKey;
  }

  get isOpen(): boolean {
    return this.#options.owner.isOpen;
  }

  /**
   * Subscribes to a topic, which has no effect if it is subscribed already.
   * @param from sequence of the first wanted event; without it, live events only
   * @returns when every later event is delivered, or the subscription was rejected
   * @throws ApiError for an invalid topic, or one too many
   */
  subscribe(text: string, from?: number): Promise<void> {
    if (this.#subscriptions.has(text)) return Promise.resolve();
    const topic = parseTopic(text);
    const { services, limits, counters } = this.#options;
    const limit = limits.subscriptionsPerConnection;
    if (this.#subscriptions.size >= limit) {
      throw new ApiError("TooManyRequests", `a connection may have at most ${limit} subscriptions`);
    }
    const subscription = new Subscription(topic, this);
    this.#subscriptions.set(text, subscription);
    counters.subscriptions += 1;
    const opened = services.topics.join(subscription);
    if (from !== undefined) this.#catchUp(subscription, from, opened);
    return opened;
  }

  /** @throws ApiError for an invalid topic */
  unsubscribe(text: string): void {
    const known = this.#subscriptions.get(text);
    if (known) this.#leave(known);
    else parseTopic(text);
  }

  /** Starts sending missed events of what was subscribed since the last call. @returns when they are sent */
  catchUp(): Promise<void> | undefined {
    this.#startCatchUp?.();
    return this.#lastCatchUp;
  }

  deliver(message: TopicEvent, subscriptions: readonly Subscription[]): void {
    const ready = this.#resumption ? this.#readyFor(message, subscriptions, this.#resumption) : subscriptions;
    if (ready.length > 0) this.#send(message.event, ready);
  }

  rejected(subscription: Subscription, error: ApiError): void {
    this.#forget(subscription);
    this.#options.owner.onRejected(error, subscription.topic.text);
  }

  brokeOff(subscription: Subscription): void {
    this.#forget(subscription);
    this.#options.owner.onMissed();
  }

  /** Sends a message that belongs to no event, after everything that is queued. */
  sendBytes(bytes: Buffer): void {
    if (!this.isOpen) return;
    if (this.isFlushed) this.write([bytes]);
    else this.#openQueue().addBytes(bytes);
  }

  /** Whether everything was passed to the operating system. */
  get isFlushed(): boolean {
    return !this.#queue && !this.stream.writableNeedDrain;
  }

  /** Whether no event up to a sequence will follow. */
  isCompleteUpTo(sequence: number): boolean {
    const { catchingUp, complete } = this.#resumption ?? {};
    return !catchingUp?.size && [...(complete?.values() ?? [])].every((through) => through <= sequence);
  }

  /** Sends bytes that keep the connection alive, unless messages are pending. */
  keepAlive(bytes: Buffer): void {
    if (!this.isOpen || this.#queue) return;
    if (this.isFlushed) this.#options.owner.write([bytes]);
    // So that a client that does not read is noticed.
    else this.#openQueue();
  }

  /** To be called periodically. @returns whether the client took none of the queued bytes in several calls */
  isStalled(): boolean {
    return this.#queue?.isStalled() ?? false;
  }

  write(parts: readonly Buffer[]): number {
    this.#options.counters.messagesSent += 1;
    this.#options.owner.write(parts);
    return parts.reduce((bytes, { length }) => bytes + length, 0);
  }

  onFlushed(): void {
    this.#queue = undefined;
  }

  onOverflow(): void {
    this.#options.owner.onOverflow();
  }

  /** Nothing more is sent. */
  end(): void {
    this.#queue?.close();
    this.#queue = undefined;
    this.#gone?.abort();
    const keys = new Set<string>();
    for (const subscription of this.#subscriptions.values()) {
      keys.add(subscription.topic.key);
      this.#forget(subscription);
    }
    for (const key of keys) this.#options.services.topics.leaveAll(key, this);
  }

  /** The subscriptions to which a live message is sent now: not those that catch up, or received it while they did. */
  #readyFor(
    message: TopicEvent,
    subscriptions: readonly Subscription[],
    { catchingUp, complete }: Resumption,
  ): Subscription[] {
    const { sequence } = message.event;
    return subscriptions.filter((subscription) => {
      const catchUp = catchingUp.get(subscription);
      catchUp?.take(message);
      if (catchUp || sequence <= (complete.get(subscription) ?? 0)) return false;
      complete.delete(subscription);
      return true;
    });
  }

  /** Sends an event at once if that is cheap and nothing is pending, otherwise in the client's turns. */
  #send(event: RenderedEvent, subscriptions: readonly Subscription[]): void {
    if (!this.isOpen) return;
    if (this.isFlushed && event.isSmall && subscriptions.length === 1) {
      this.write(event.framed(subscriptions[0]!.topic.text, this.framing));
    } else {
      this.#openQueue().addEvent(event, subscriptions);
    }
  }

  #openQueue(): SendQueue {
    const { services, limits } = this.#options;
    this.#queue ??= new SendQueue(this, services.steps, limits.bufferedBytes);
    return this.#queue;
  }

  /** Missed events are sent for all subscriptions of one turn together, so that they arrive in order. */
  #catchUp(subscription: Subscription, from: number, opened: Promise<void>): void {
    let catchUp = this.#nextCatchUp;
    if (!catchUp || catchUp.size >= SUBSCRIPTIONS_IN_CATCH_UP) {
      this.#startCatchUp?.();
      const next = this.#newCatchUp();
      this.#nextCatchUp = catchUp = next;
      const started = new Promise<void>((resolve) => {
        this.#startCatchUp = resolve;
      });
      this.#lastCatchUp = Promise.all([started, this.#lastCatchUp]).then(() => this.#run(next));
    }
    catchUp.add(subscription, from, opened);
    this.#resumption ??= { catchingUp: new Map(), complete: new Map() };
    this.#resumption.catchingUp.set(subscription, catchUp);
  }

  #newCatchUp(): CatchUp {
    const isOpen = () => this.isOpen;
    const { services, owner, half } = this.#options;
    this.#gone ??= new AbortController();
    const client = {
      clientKey: this.clientKey,
      signal: this.#gone.signal,
      get isOpen() {
        return isOpen();
      },
      send: (event: RenderedEvent, subscriptions: readonly Subscription[]) => this.#send(event, subscriptions),
      flushed: () => this.#flushed(),
      reject: (subscription: Subscription, error: ApiError) => {
        this.#leave(subscription);
        owner.onRejected(error, subscription.topic.text);
      },
      complete: (subscription: Subscription, sequence: number) => {
        this.#resumption?.catchingUp.delete(subscription);
        this.#resumption?.complete.set(subscription, sequence);
      },
    };
    return new CatchUp(services.missed, client, half);
  }

  async #run(catchUp: CatchUp): Promise<void> {
    await new Promise(setImmediate);
    if (this.#nextCatchUp === catchUp) this.#nextCatchUp = undefined;
    await catchUp.run();
  }

  #flushed(): Promise<void> {
    return this.isFlushed || !this.isOpen ? Promise.resolve() : this.#openQueue().flushed();
  }

  #leave(subscription: Subscription): void {
    this.#forget(subscription);
    this.#options.services.topics.leave(subscription);
  }

  #forget(subscription: Subscription): void {
    if (!subscription.isOpen) return;
    subscription.isOpen = false;
    this.#subscriptions.delete(subscription.topic.text);
    this.#resumption?.catchingUp.get(subscription)?.drop(subscription);
    this.#resumption?.catchingUp.delete(subscription);
    this.#resumption?.complete.delete(subscription);
    this.#options.counters.subscriptions -= 1;
  }
}

/** The text of a message with an error: its code, what is wrong, the valid range if it is one, and what it answers. */
export function errorMessage(error: ApiError, request: Readonly<Record<string, unknown>>): string {
  const { code, message } = error;
  const range = error instanceof ResumeRangeError && { oldest: error.oldest, next: error.next };
  return JSON.stringify({ topic: "error", data: { code, message, ...range, request } });
}
