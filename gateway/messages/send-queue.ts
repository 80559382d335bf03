import type { Writable } from "node:stream";
import type { FairQueue } from "../clients/fair-queue.js";
import type { Framing } from "./framing.js";
import type { RenderedEvent } from "./rendered-event.js";
import type { Subscription } from "./subscription.js";

/** Cost of a queued message besides the event's bytes, in bytes. */
const OVERHEAD_BYTES = 64;
/** Minimum bytes of one connection that are written per step. */
const STEP_BYTES = 64 * 1024;
/** Minimum that a message counts in a step, in bytes: skipping it takes time too. */
const LEAST_STEP_BYTES = 64;
/** Number of consecutive checks in which a client may read nothing. */
const MAX_STALLS = 2;

/** Where a connection's messages are written. */
export type OutgoingStream = Pick<Writable, "writableLength" | "writableNeedDrain" | "on" | "off">;

/** The connection that a queue belongs to. */
export interface SendQueueOwner {
  readonly stream: OutgoingStream;
  readonly framing: Framing;
  /** Whether messages may be written. */
  readonly isOpen: boolean;
  /** Key of the client, which shares its turns among all its connections. */
  readonly clientKey: string;
  /** Writes a message, in parts. @returns its bytes */
  write(parts: readonly Buffer[]): number;
  /** Everything was passed to the operating system; the queue is finished. */
  onFlushed(): void;
  /** The queue exceeds its limit. */
  onOverflow(): void;
}

/** A queued item: bytes, or an event for the subscriptions to one topic. */
interface Queued {
  readonly bytes?: Buffer;
  readonly event?: RenderedEvent;
  readonly subscriptions?: readonly Subscription[];
  readonly cost: number;
}

/**
 * The queue of a connection that cannot take everything at once, in order. Messages are framed when the stream can
 * take them: for a client that does not read, the gateway keeps only the events themselves, which connections share.
 */
export class SendQueue {
  readonly #owner: SendQueueOwner;
  readonly #steps: FairQueue;
  readonly #limitBytes: number;
  #items: Queued[] = [];
  /** The first queued item, and the first of its subscriptions. */
  #first = 0;
  #firstSubscription = 0;
  #bytes = 0;
  #isScheduled = false;
  #isOver = false;
  #hasProgress = true;
  #stalls = 0;
  readonly #whenOver: (() => void)[] = [];

  /** @param limitBytes size of the queue; an event counts once, however many of its messages are queued */
  constructor(owner: SendQueueOwner, steps: FairQueue, limitBytes: number) {
    this.#owner = owner;
    this.#steps = steps;
    this.#limitBytes = limitBytes;
    owner.stream.on("drain", this.#onDrain);
  }

  /** Resolves when everything was passed to the operating system, or nothing more will be. */
  flushed(): Promise<void> {
    return this.#isOver ? Promise.resolve() : new Promise((resolve) => this.#whenOver.push(resolve));
  }

  /** To be called periodically. @returns whether the client read nothing in several consecutive calls */
  isStalled(): boolean {
    this.#stalls = this.#hasProgress ? 0 : this.#stalls + 1;
    this.#hasProgress = false;
    return this.#stalls >= MAX_STALLS;
  }

  /** Adds bytes as they are. */
  addBytes(bytes: Buffer): void {
    this.#add({ bytes, cost: bytes.length + OVERHEAD_BYTES });
  }

  /** Adds the messages of an event. */
  addEvent(event: RenderedEvent, subscriptions: readonly Subscription[]): void {
    const isShared = this.#items.at(-1)?.event === event;
    this.#add({ event, subscriptions, cost: OVERHEAD_BYTES + (isShared ? 0 : event.size) });
  }

  /** Stops sending and drops the queue. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#items = [];
    this.#first = 0;
    this.#owner.stream.off("drain", this.#onDrain);
    for (const resolve of this.#whenOver) resolve();
  }

  #add(item: Queued): void {
    this.#items.push(item);
    this.#bytes += item.cost;
    const { stream } = this.#owner;
    if (this.#bytes + stream.writableLength > this.#limitBytes) this.#owner.onOverflow();
    else if (!stream.writableNeedDrain) this.#schedule();
  }

  readonly #onDrain = (): void => {
    this.#hasProgress = true;
    if (this.#items.length > 0) this.#schedule();
    else this.#finish();
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#steps.add(this.#owner.clientKey, () => this.#writeSome());
  }

  /** Writes a part of the queue. @returns whether the stream can take more now */
  #writeSome(): boolean {
    const { stream } = this.#owner;
    if (!this.#owner.isOpen) this.close();
    let left = STEP_BYTES;
    while (left > 0 && this.#items.length > 0 && !stream.writableNeedDrain) {
      left -= Math.max(LEAST_STEP_BYTES, this.#writeNext());
    }
    this.#isScheduled = this.#items.length > 0 && !stream.writableNeedDrain;
    if (this.#items.length === 0 && !stream.writableNeedDrain) this.#finish();
    return this.#isScheduled;
  }

  /** @returns bytes written */
  #writeNext(): number {
    const { event, subscriptions = [], bytes, cost } = this.#items[this.#first]!;
    let written = 0;
    if (bytes) {
      written = this.#owner.write([bytes]);
    } else {
      const subscription = subscriptions[this.#firstSubscription++];
      const { framing } = this.#owner;
      if (subscription?.isOpen) written = this.#owner.write(event!.framed(subscription.topic.text, framing));
    }
    this.#hasProgress = true;
    if (this.#firstSubscription >= subscriptions.length) this.#moveOn(cost);
    return written;
  }

  #moveOn(cost: number): void {
    this.#bytes -= cost;
    this.#firstSubscription = 0;
    this.#first += 1;
    // In bulk: removing single items would move all others each time.
    if (this.#first * 2 <= this.#items.length) return;
    this.#items = this.#items.slice(this.#first);
    this.#first = 0;
  }

  #finish(): void {
    if (this.#isOver) return;
    this.close();
    this.#owner.onFlushed();
  }
}
