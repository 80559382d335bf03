import type { IncomingMessage, ServerResponse } from "node:http";
import { invalidArgument, serviceUnavailable } from "../../schema/errors/errors.js";
import { type Clients, tooManyConnections } from "../clients/clients.js";
import { exchangeOf } from "../http/exchange.js";
import type { EventStreamStats } from "../http/metrics.js";
import { defaultMessageLimits, type MessageLimits } from "../messages/limits.js";
import type { SubscriberServices } from "../messages/subscriber.js";
import { EventStream, type WantedEvents } from "./event-stream.js";

/** Path of the streams. */
export const EVENTS_PATH = "/events";

export interface EventStreamsOptions {
  readonly messages: SubscriberServices;
  /** Tracks connections of any kind. */
  readonly clients: Clients;
  readonly limits?: Partial<MessageLimits> | undefined;
}

/** Serves the messages of `/ws` as server-sent events, with the same limits. */
export class EventStreams {
  readonly #messages: SubscriberServices;
  readonly #clients: Clients;
  readonly #limits: MessageLimits;
  readonly #counters = { subscriptions: 0, messagesSent: 0, slowClosed: 0 };
  readonly #streams = new Set<EventStream>();
  readonly #heartbeat: NodeJS.Timeout;
  #rejected = 0;
  #isClosed = false;

  constructor({ messages, clients, limits }: EventStreamsOptions) {
    this.#messages = messages;
    this.#clients = clients;
    this.#limits = { ...defaultMessageLimits, ...limits };
    // A gateway that cannot start, for example without its TLS files, is not kept running by it.
    this.#heartbeat = setInterval(() => this.#beatAll(), this.#limits.pingIntervalMs).unref();
  }

  stats(): EventStreamStats {
    return { ...this.#counters, connections: this.#streams.size, connectionsRejected: this.#rejected };
  }

  /**
   * Streams events as the response to a request. Resolves when the stream has ended.
   * @throws ApiError when a topic is invalid, `from` is out of range, or there are too many streams
   */
  async open(request: IncomingMessage, response: ServerResponse, wanted: WantedEvents): Promise<void> {
    if (wanted.topics.length === 0) {
      throw invalidArgument("topic is missing: name at least one, such as topic=block", "topic");
    }
    const { positionError } = this.#messages.events;
    if (positionError) throw positionError;
    const client = this.#clients.of(request);
    this.#requireRoom(client.connections(EVENTS_PATH));
    const closed = this.#clients.open(client, EVENTS_PATH);
    const [messages, limits, counters, clientKey] = [this.#messages, this.#limits, this.#counters, client.key];
    const stream = new EventStream({ response, clientKey, messages, limits, counters, wanted });
    this.#streams.add(stream);
    const exchange = exchangeOf(response);
    exchange.beginStream();
    try {
      await stream.start();
      await exchange.sent;
    } finally {
      this.#streams.delete(stream);
      stream.end();
      closed();
    }
  }

  /** Ends every stream, and rejects new ones. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#heartbeat);
    for (const stream of this.#streams) stream.close();
  }

  #requireRoom(ofClient: number): void {
    const { connections, connectionsPerClient } = this.#limits;
    if (!this.#isClosed && this.#streams.size < connections && ofClient < connectionsPerClient) return;
    this.#rejected += 1;
    if (this.#isClosed) throw serviceUnavailable("the gateway is shutting down");
    if (ofClient >= connectionsPerClient) throw tooManyConnections(connectionsPerClient, EVENTS_PATH);
    throw serviceUnavailable(`the limit of ${connections} connections is reached`);
  }

  #beatAll(): void {
    for (const stream of this.#streams) stream.beat();
  }
}
