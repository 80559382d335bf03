import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";
import { ResumeRangeError } from "../../schema/events/missed-events.js";
import { ApiError } from "../../schema/services/errors.js";
import type { FairTurns } from "../clients/fair-turns.js";
import { Inbox, type InboxOwner } from "../clients/inbox.js";
import type { Intake, Reader } from "../clients/intake.js";
import { CloseCode } from "../http/close-code.js";
import type { ConnectionCounters } from "../http/metrics.js";
import { textFrame } from "../http/text-frame.js";
import { CatchUp } from "./catch-up.js";
import type { Feeds } from "./feeds.js";
import type { WebSocketLimits } from "./limits.js";
import type { MissedReader } from "./missed.js";
import { Outlet, type OutletOwner } from "./outlet.js";
import type { RenderedEvent } from "./rendered-event.js";
import { type ClientRequest, ProtocolViolation, parseRequest } from "./request.js";
import { type Subscriber, Subscription, type TopicEvent } from "./subscription.js";
import { parseTopic } from "./topic.js";

const UID_BYTES = 15;
/** Maximum number of subscriptions that catch up together. */
const SUBSCRIPTIONS_IN_CATCH_UP = 1_000;
/** Bytes that a client may send after its connection was closed. */
const MAX_LATE_BYTES = 64 * 1024;

/** Shared services of all connections. */
export interface ConnectionServices {
  readonly feeds: Feeds;
  readonly missed: MissedReader;
  readonly turns: FairTurns;
  readonly limits: WebSocketLimits;
  readonly counters: ConnectionCounters;
}

export interface ConnectionOptions {
  readonly socket: WebSocket;
  /**
   * The underlying socket. Messages are written there as whole frames, which `ws` would create again for each
   * connection.
   */
  readonly stream: Duplex;
  readonly services: ConnectionServices;
  readonly clientKey: string;
  /** Meters all connections of the client. */
  readonly intake: Intake;
  /** Sequence of the newest event, sent with the uid if the client requested it. */
  readonly sequence?: number | undefined;
}

/** Subscriptions that are not simply live. */
interface Resumption {
  /** Subscriptions that are catching up. */
  readonly catchingUp: Map<Subscription, CatchUp>;
  /** Caught-up subscriptions: live messages up to this sequence were sent already. */
  readonly complete: Map<Subscription, number>;
}

/** One client's connection: its uid, its subscriptions, and its outgoing messages. */
export class Connection implements Subscriber, OutletOwner, InboxOwner, Reader {
  /** 20 random characters that the client must repeat in each request. */
  readonly uid = randomBytes(UID_BYTES).toString("base64url");
  readonly stream: Duplex;
  readonly clientKey: string;
  readonly #socket: WebSocket;
  readonly #services: ConnectionServices;
  readonly #intake: Intake;
  /** By the topic's text. */
  readonly #subscriptions = new Map<string, Subscription>();
  #resumption: Resumption | undefined;
  /** Accepts more subscriptions until it starts, when everything that the client has sent together is handled. */
  #nextCatchUp: CatchUp | undefined;
  #lastCatchUp: Promise<void> | undefined;
  /** Starts a catch-up that accepts more subscriptions until then. */
  #startCatchUp: (() => void) | undefined;
  /** While requests are pending. */
  #inbox: Inbox | undefined;
  /** While messages are pending. */
  #outlet: Outlet | undefined;
  #heard = true;
  /** Number of reasons to pause reading: the inbox is full, the client has sent too much. */
  #pauses = 0;
  /** Bytes received after it was closed. */
  #lateBytes = 0;

  /** Greets the client with its uid. */
  constructor({ socket, stream, services, clientKey, intake, sequence }: ConnectionOptions) {
    this.#socket = socket;
    this.stream = stream;
    this.clientKey = clientKey;
    this.#services = services;
    this.#intake = intake;
    intake.add(this);
    stream.on("data", (chunk: Buffer) => this.#countBytes(chunk.length));
    socket.on("message", (data) => this.#receive(data));
    socket.on("pong", () => {
      this.#heard = true;
    });
    socket.on("close", () => this.#end());
    // A broken frame or a reset: `close` follows.
    socket.on("error", () => undefined);
    this.#sendFrame(textFrame(JSON.stringify({ uid: this.uid, sequence })));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  deliver(message: TopicEvent, subscriptions: readonly Subscription[]): void {
    const ready = this.#resumption ? this.#readyFor(message, subscriptions, this.#resumption) : subscriptions;
    if (ready.length > 0) this.#send(message.event, ready);
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
    if (this.#isFlushed && event.isSmall && subscriptions.length === 1) {
      this.write(event.frame(subscriptions[0]!.topic.text));
    } else {
      this.#pendingOutlet().addEvent(event, subscriptions);
    }
  }

  #sendFrame(frame: Buffer): void {
    if (!this.isOpen) return;
    if (this.#isFlushed) this.write([frame]);
    else this.#pendingOutlet().addFrame(frame);
  }

  get #isFlushed(): boolean {
    return !this.#outlet && !this.stream.writableNeedDrain;
  }

  #pendingOutlet(): Outlet {
    const { turns, limits } = this.#services;
    this.#outlet ??= new Outlet(this, turns, limits.bufferedBytes);
    return this.#outlet;
  }

  write(parts: readonly Buffer[]): number {
    this.#services.counters.messagesSent += 1;
    if (parts.length > 1) this.stream.cork();
    let bytes = 0;
    for (const part of parts) {
      this.stream.write(part);
      bytes += part.length;
    }
    if (parts.length > 1) this.stream.uncork();
    return bytes;
  }

  onFlushed(): void {
    this.#outlet = undefined;
  }

  onOverflow(): void {
    this.#services.counters.slowClosed += 1;
    this.close(CloseCode.tryAgainLater, "The client reads too slowly");
  }

  rejected(subscription: Subscription, error: ApiError): void {
    this.#forget(subscription);
    this.#sendError(error);
  }

  brokeOff(subscription: Subscription): void {
    this.#forget(subscription);
    this.close(CloseCode.tryAgainLater, "Messages were missed: reconnect and subscribe again");
  }

  /** Pings; closes the connection if the last ping was not answered, or it takes none of the queued bytes. */
  ping(): void {
    const isStalled = this.#outlet?.isStalled() ?? false;
    if (!this.#heard || isStalled) {
      this.#services.counters[isStalled ? "slowClosed" : "deadCut"] += 1;
      this.#socket.terminate();
      return;
    }
    this.#heard = false;
    if (this.isOpen) this.#socket.ping();
  }

  /** Closes with a reason of at most 123 bytes; earlier messages still arrive if the client reads. */
  close(code: CloseCode, reason: string): void {
    this.#end();
    this.#socket.close(code, reason);
  }

  pause(): void {
    this.#pauses += 1;
    this.#socket.pause();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#socket.resume();
  }

  #countBytes(bytes: number): void {
    this.#intake.countBytes(bytes);
    if (this.isOpen) return;
    // It is read until the closing handshake.
    this.#lateBytes += bytes;
    if (this.#lateBytes > MAX_LATE_BYTES) this.#socket.terminate();
  }

  #receive(data: RawData): void {
    this.#heard = true;
    if (!this.isOpen) return;
    this.#inbox ??= new Inbox(this, this.#services.turns, this.#intake);
    this.#inbox.add(data as Buffer);
  }

  onPaused(): void {
    if (this.#inbox?.isEmpty) this.#inbox = undefined;
    this.#startCatchUp?.();
  }

  handle(request: Buffer): void {
    try {
      this.#carryOut(parseRequest(request.toString(), this.uid));
    } catch (error) {
      if (error instanceof ApiError) this.#sendError(error);
      else if (error instanceof ProtocolViolation) this.close(CloseCode.policyViolation, error.message);
      else throw error;
    }
  }

  #carryOut({ action, topic: text, from }: ClientRequest): void {
    const known = this.#subscriptions.get(text);
    if (action === "unsubscribe") {
      if (known) this.#leave(known);
      else parseTopic(text);
      return;
    }
    if (known) return;
    const topic = parseTopic(text);
    const limit = this.#services.limits.subscriptionsPerConnection;
    if (this.#subscriptions.size >= limit) {
      throw new ApiError("TooManyRequests", `a connection may have at most ${limit} subscriptions`);
    }
    const subscription = new Subscription(topic, this);
    this.#subscriptions.set(text, subscription);
    this.#services.counters.subscriptions += 1;
    const opened = this.#services.feeds.join(subscription);
    if (from !== undefined) this.#catchUp(subscription, from, opened);
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
    return new CatchUp(this.#services.missed, {
      clientKey: this.clientKey,
      get isOpen() {
        return isOpen();
      },
      send: (event, subscriptions) => this.#send(event, subscriptions),
      flushed: () => this.#flushed(),
      reject: (subscription, error) => {
        this.#leave(subscription);
        this.#sendError(error);
      },
      complete: (subscription, sequence) => {
        this.#resumption?.catchingUp.delete(subscription);
        this.#resumption?.complete.set(subscription, sequence);
      },
    });
  }

  async #run(catchUp: CatchUp): Promise<void> {
    await new Promise(setImmediate);
    if (this.#nextCatchUp === catchUp) this.#nextCatchUp = undefined;
    await catchUp.run();
  }

  #flushed(): Promise<void> {
    return this.#isFlushed || !this.isOpen ? Promise.resolve() : this.#pendingOutlet().flushed();
  }

  #sendError(error: ApiError): void {
    this.#services.counters.requestsRejected += 1;
    const { code, message } = error;
    const range = error instanceof ResumeRangeError ? { oldest: error.oldest, next: error.next } : {};
    this.#sendFrame(textFrame(JSON.stringify({ topic: "error", data: { code, message, ...range } })));
  }

  #leave(subscription: Subscription): void {
    this.#forget(subscription);
    this.#services.feeds.leave(subscription);
  }

  #forget(subscription: Subscription): void {
    if (!subscription.isOpen) return;
    subscription.isOpen = false;
    this.#subscriptions.delete(subscription.topic.text);
    this.#resumption?.catchingUp.get(subscription)?.drop(subscription);
    this.#resumption?.catchingUp.delete(subscription);
    this.#resumption?.complete.delete(subscription);
    this.#services.counters.subscriptions -= 1;
  }

  /** Nothing more is received or sent. */
  #end(): void {
    this.#intake.remove(this);
    this.#inbox?.close();
    this.#inbox = undefined;
    // So that the closing handshake is read.
    if (this.#pauses > 0) this.#socket.resume();
    this.#outlet?.close();
    this.#outlet = undefined;
    const keys = new Set<string>();
    for (const subscription of this.#subscriptions.values()) {
      keys.add(subscription.topic.key);
      this.#forget(subscription);
    }
    for (const key of keys) this.#services.feeds.leaveAll(key, this);
  }
}
