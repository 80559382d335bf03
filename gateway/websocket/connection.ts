import { randomBytes } from "node:crypto";
import { ApiError } from "../../schema/errors/errors.js";
import { HEARTBEAT } from "../../schema/events/topic.js";
import { CloseCode } from "../http/close-code.js";
import type { ConnectionCounters } from "../http/metrics.js";
import { startedFrame, textFrame } from "../http/text-frame.js";
import type { Framing } from "../messages/rendered-event.js";
import {
  errorMessage,
  Subscriber,
  type SubscriberConnection,
  type SubscriberServices,
} from "../messages/subscriber.js";
import { SocketConnection, type SocketOptions } from "../sockets/socket-connection.js";
import type { WebSocketLimits } from "./limits.js";
import { ProtocolViolation, parseObject, parseRequest } from "./request.js";

const UID_BYTES = 15;
const HEARTBEAT_FRAME = textFrame(JSON.stringify({ topic: HEARTBEAT, data: {} }));

/** A message is one frame. */
const frames: Framing = { start: startedFrame, end: Buffer.alloc(0) };

/** Shared services of all connections. */
export interface ConnectionServices {
  readonly messages: SubscriberServices;
  readonly limits: WebSocketLimits;
  readonly counters: ConnectionCounters;
  /** Connections that have subscribed to `heartbeat`. */
  readonly beating: Set<Connection>;
}

export interface ConnectionOptions extends SocketOptions {
  readonly services: ConnectionServices;
  /** Sequence of the newest event, sent with the uid if the client requested it. */
  readonly sequence?: number | undefined;
}

/** One client's connection: its uid, its requests, and what it receives. */
export class Connection extends SocketConnection implements SubscriberConnection {
  /** 20 random characters that the client must repeat in each request. */
  readonly uid = randomBytes(UID_BYTES).toString("base64url");
  readonly framing = frames;
  readonly #services: ConnectionServices;
  readonly #subscriber: Subscriber;

  /** Greets the client with its uid. */
  constructor({ services, sequence, ...options }: ConnectionOptions) {
    const { messages, limits, counters } = services;
    super(options);
    this.#services = services;
    this.#subscriber = new Subscriber({ owner: this, services: messages, limits, counters });
    this.#subscriber.send(textFrame(JSON.stringify({ uid: this.uid, sequence })));
  }

  /** Sends a message of the topic `heartbeat`, unless others wait: then they show the same. */
  beat(): void {
    this.#subscriber.keepAlive(HEARTBEAT_FRAME);
  }

  write(parts: readonly Buffer[]): void {
    const { stream } = this;
    if (parts.length > 1) stream.cork();
    for (const part of parts) stream.write(part);
    if (parts.length > 1) stream.uncork();
  }

  onRejected(error: ApiError, topic: string): void {
    this.#reject(error, { subscribe: topic });
  }

  #reject(error: ApiError, request: Readonly<Record<string, unknown>>): void {
    this.#services.counters.requestsRejected += 1;
    this.#subscriber.send(textFrame(errorMessage(error, request)));
  }

  onOverflow(): void {
    this.#services.counters.slowClosed += 1;
    this.close(CloseCode.tryAgainLater, "The client reads too slowly");
  }

  onMissed(): void {
    this.close(CloseCode.tryAgainLater, "Messages were missed: reconnect and subscribe again");
  }

  protected override isStalled(): boolean {
    return this.#subscriber.isStalled();
  }

  override onPaused(): void {
    void this.#subscriber.open();
  }

  override handle(request: Buffer): void {
    let answered = {};
    try {
      const { uid, ...given } = parseObject(request.toString());
      answered = given;
      const { action, topic, from } = parseRequest({ uid, ...given }, this.uid);
      if (topic === HEARTBEAT) this.#services.beating[action === "subscribe" ? "add" : "delete"](this);
      else if (action === "unsubscribe") this.#subscriber.unsubscribe(topic);
      else this.#subscriber.subscribe(topic, from);
    } catch (error) {
      if (error instanceof ApiError) this.#reject(error, answered);
      else if (error instanceof ProtocolViolation) this.close(CloseCode.policyViolation, error.message);
      else throw error;
    }
  }

  /** Nothing more is received or sent. */
  protected override end(): void {
    super.end();
    this.#services.beating.delete(this);
    this.#subscriber.end();
  }
}
