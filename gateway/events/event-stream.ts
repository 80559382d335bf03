import type { ServerResponse } from "node:http";
import { type ApiError, serviceUnavailable } from "../../schema/errors/errors.js";
import type { MessageLimits } from "../messages/limits.js";
import type { Framing } from "../messages/rendered-event.js";
import {
  errorMessage,
  Subscriber,
  type SubscriberConnection,
  type SubscriberCounters,
  type SubscriberServices,
} from "../messages/subscriber.js";

/** What a client wants to receive. */
export interface WantedEvents {
  /** The topics of `/ws`, as the client spelled them. */
  readonly topics: readonly string[];
  /** Sequence of the first wanted event. */
  readonly from?: number | undefined;
  /** Sequence of the last received event, from which the client resumes; overrides `from`. */
  readonly lastEventId?: number | undefined;
}

/** Counters of all streams. */
export interface StreamCounters extends SubscriberCounters {
  slowClosed: number;
}

export interface EventStreamOptions {
  readonly response: ServerResponse;
  readonly clientKey: string;
  readonly messages: SubscriberServices;
  readonly limits: MessageLimits;
  readonly counters: StreamCounters;
  readonly wanted: WantedEvents;
}

/** A message is one event of a stream, whose id is the sequence. */
const events: Framing = {
  start: (start, _rest, sequence) => Buffer.from(`id: ${sequence}\ndata: ${start}`),
  end: Buffer.from("\n\n"),
};

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-transform",
  // Otherwise some proxies collect the response before they pass it on.
  "X-Accel-Buffering": "no",
};
const COMMENT = Buffer.from(":\n\n");

/** One response of `/events`: the messages of some topics as server-sent events. */
export class EventStream implements SubscriberConnection {
  readonly stream: ServerResponse;
  readonly framing = events;
  readonly clientKey: string;
  readonly #counters: StreamCounters;
  readonly #wanted: WantedEvents;
  readonly #subscriber: Subscriber;
  #isClosed = false;
  #rejection: ApiError | undefined;

  constructor({ response, clientKey, messages, limits, counters, wanted }: EventStreamOptions) {
    this.stream = response;
    this.clientKey = clientKey;
    this.#counters = counters;
    this.#wanted = wanted;
    const resendFrom = mayBePartlySent(wanted) ? wanted.lastEventId : undefined;
    this.#subscriber = new Subscriber({ owner: this, services: messages, limits, counters, resendFrom });
  }

  get isOpen(): boolean {
    return !this.#isClosed && !this.stream.closed;
  }

  /**
   * Subscribes, and sends the headers. Resolves when everything is subscribed.
   * @throws ApiError when a topic is rejected
   */
  async start(): Promise<void> {
    try {
      for (const [name, value] of Object.entries(HEADERS)) this.stream.setHeader(name, value);
      const from = this.#firstWanted();
      for (const topic of this.#wanted.topics) this.#subscriber.subscribe(topic, from);
      await this.#subscriber.open();
      if (this.#rejection && !this.stream.headersSent) throw this.#rejection;
      if (this.isOpen) this.beat();
    } catch (error) {
      this.end();
      throw error;
    } finally {
      if (!this.stream.headersSent) for (const name of Object.keys(HEADERS)) this.stream.removeHeader(name);
    }
  }

  /**
   * Keeps the connection alive; while all events are live also reports the sequence from which the client may resume.
   * Disconnects a client that takes none of the queued bytes.
   */
  beat(): void {
    if (this.#subscriber.isStalled()) {
      this.onOverflow();
      return;
    }
    const sequence = this.#subscriber.completeThrough;
    this.#subscriber.keepAlive(sequence === undefined ? COMMENT : Buffer.from(`id: ${sequence}\n\n`));
  }

  /** Ends the response, unless an error is to be sent in its place; events that are queued are dropped. */
  close(): void {
    this.end();
    if (this.stream.headersSent) this.stream.end();
    else this.#rejection ??= serviceUnavailable("the gateway is shutting down");
  }

  /** Nothing more is sent. */
  end(): void {
    this.#isClosed = true;
    this.#subscriber.end();
  }

  /** Without `cork`: the response of Node 22 then waits forever for a `drain`. Node sends the writes of a turn together. */
  write(parts: readonly Buffer[]): void {
    for (const part of parts) this.stream.write(part);
  }

  onRejected(error: ApiError, topic: string): void {
    if (!this.isOpen) return;
    this.#rejection = error;
    if (!this.stream.headersSent) {
      this.end();
      return;
    }
    this.#subscriber.send(Buffer.from(`data: ${errorMessage(error, { topic })}\n\n`));
    this.close();
  }

  onOverflow(): void {
    this.#counters.slowClosed += 1;
    this.end();
    this.stream.destroy();
  }

  onMissed(): void {
    this.close();
  }

  #firstWanted(): number | undefined {
    const { from, lastEventId } = this.#wanted;
    if (lastEventId === undefined) return from;
    return mayBePartlySent(this.#wanted) ? lastEventId : lastEventId + 1;
  }
}

/**
 * Whether the connection may have been lost between two messages of the last event: it may belong to several topics
 * of one channel.
 */
function mayBePartlySent({ topics, lastEventId = 0 }: WantedEvents): boolean {
  const different = [...new Set(topics)];
  const channels = new Set(different.map((topic) => topic.split("/", 1)[0]));
  return lastEventId > 0 && channels.size < different.length;
}
