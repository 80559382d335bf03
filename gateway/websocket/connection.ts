import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";
import { ApiError } from "../../schema/errors.js";
import { ResumeRangeError } from "../../schema/missed-events.js";
import { CatchUp } from "./catch-up.js";
import { CloseCode } from "./close-code.js";
import type { Feeds, Subscriber } from "./feeds.js";
import type { WebSocketLimits } from "./limits.js";
import type { MissedReader } from "./missed.js";
import type { Message } from "./outbox.js";
import { type ClientRequest, ProtocolViolation, parseRequest } from "./request.js";
import { textFrame } from "./text-frame.js";
import { parseTopic, type Topic } from "./topic.js";

const UID_BYTES = 15;
/** Topics that are brought up to date together. */
const TOPICS_IN_CATCH_UP = 1_000;

/** Figures that connections add to. */
export interface ConnectionCounters {
  subscriptions: number;
  messagesSent: number;
  requestsRefused: number;
  slowClosed: number;
  deadCut: number;
}

export interface ConnectionOptions {
  readonly socket: WebSocket;
  /** What it runs over. Messages are written there as whole frames, which `ws` would make anew for each connection. */
  readonly stream: Duplex;
  readonly feeds: Feeds;
  readonly missed: MissedReader;
  readonly limits: WebSocketLimits;
  readonly counters: ConnectionCounters;
  /** Sequence of the newest event, told with the uid when the client asked for it. */
  readonly sequence?: number | undefined;
}

/** One client: its uid, its subscriptions, and what is sent to it. */
export class Connection implements Subscriber {
  /** 20 random characters that the client must repeat in each request. */
  readonly uid = randomBytes(UID_BYTES).toString("base64url");
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #feeds: Feeds;
  readonly #missed: MissedReader;
  readonly #limits: WebSocketLimits;
  readonly #counters: ConnectionCounters;
  readonly #topics = new Set<string>();
  /** Topics whose missed messages are sent now. */
  readonly #catchingUp = new Map<string, CatchUp>();
  /** Topics that were caught up: live messages up to this sequence were sent already. */
  readonly #complete = new Map<string, number>();
  /** Takes more topics until it starts, at the end of this turn. */
  #nextCatchUp: CatchUp | undefined;
  #lastCatchUp: Promise<void> = Promise.resolve();
  #heard = true;
  #secondStart = 0;
  #messagesThisSecond = 0;
  #pause: NodeJS.Timeout | undefined;

  /** Greets the client with its uid. */
  constructor({ socket, stream, feeds, missed, limits, counters, sequence }: ConnectionOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#feeds = feeds;
    this.#missed = missed;
    this.#limits = limits;
    this.#counters = counters;
    socket.on("message", (data) => this.#receive(data));
    socket.on("pong", () => {
      this.#heard = true;
    });
    socket.on("close", () => {
      clearTimeout(this.#pause);
      this.#leaveAll();
    });
    // A broken frame or a reset: `close` follows.
    socket.on("error", () => undefined);
    this.#send(textFrame(JSON.stringify({ uid: this.uid, sequence })));
  }

  deliver(message: Message): void {
    const { topic, sequence, frame } = message;
    if (this.#catchingUp.size > 0 || this.#complete.size > 0) {
      const catchUp = this.#catchingUp.get(topic);
      if (catchUp) {
        catchUp.take(message);
        return;
      }
      if (sequence <= (this.#complete.get(topic) ?? 0)) return;
      this.#complete.delete(topic);
    }
    this.#send(frame);
  }

  /** Sends a frame, which is not copied. A client that lets too much pile up is closed instead. */
  #send(frame: Buffer): void {
    const socket = this.#socket;
    if (socket.readyState !== WebSocket.OPEN) return;
    if (socket.bufferedAmount > this.#limits.bufferedBytes) {
      this.#counters.slowClosed += 1;
      this.close(CloseCode.tryAgainLater, "The client reads too slowly");
      return;
    }
    this.#counters.messagesSent += 1;
    this.#stream.write(frame);
  }

  refused(topic: string, error: ApiError): void {
    this.#forget(topic);
    this.#sendError(error);
  }

  brokeOff(topic: string): void {
    this.#forget(topic);
    this.close(CloseCode.tryAgainLater, "Messages were missed: connect and subscribe again");
  }

  /** Asks for a sign of life; cuts the connection when the last time there was none. */
  ping(): void {
    if (!this.#heard) {
      this.#counters.deadCut += 1;
      this.#socket.terminate();
      return;
    }
    this.#heard = false;
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  /** Closes with a reason of at most 123 bytes; what was sent before still arrives if the client reads. */
  close(code: CloseCode, reason: string): void {
    this.#leaveAll();
    this.#socket.close(code, reason);
  }

  #receive(data: RawData): void {
    this.#heard = true;
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#countMessage();
    try {
      this.#handle(parseRequest(data.toString(), this.uid));
    } catch (error) {
      if (error instanceof ApiError) this.#sendError(error);
      else if (error instanceof ProtocolViolation) this.close(CloseCode.policyViolation, error.message);
      else throw error;
    }
  }

  #handle({ action, topic: text, from }: ClientRequest): void {
    if (action === "unsubscribe") {
      if (this.#forget(text)) this.#feeds.leave(text, this);
      else parseTopic(text);
      return;
    }
    if (this.#topics.has(text)) return;
    const topic = parseTopic(text);
    const limit = this.#limits.subscriptionsPerConnection;
    if (this.#topics.size >= limit) {
      throw new ApiError("TooManyRequests", `a connection may have ${limit} subscriptions at most`);
    }
    this.#topics.add(text);
    this.#counters.subscriptions += 1;
    const opened = this.#feeds.join(topic, this);
    if (from !== undefined) this.#catchUp(topic, from, opened);
  }

  /** What was missed is sent for all topics together that are subscribed in one turn, so that it comes in order. */
  #catchUp(topic: Topic, from: number, opened: Promise<void>): void {
    let catchUp = this.#nextCatchUp;
    if (!catchUp || catchUp.size >= TOPICS_IN_CATCH_UP) {
      const next = this.#newCatchUp();
      this.#nextCatchUp = catchUp = next;
      this.#lastCatchUp = this.#lastCatchUp.then(() => new Promise(setImmediate)).then(() => this.#run(next));
    }
    catchUp.add(topic, from, opened);
    this.#catchingUp.set(topic.text, catchUp);
  }

  #newCatchUp(): CatchUp {
    const socket = this.#socket;
    return new CatchUp(this.#missed, {
      get waitingBytes() {
        return socket.readyState === WebSocket.OPEN ? socket.bufferedAmount : undefined;
      },
      send: ({ frame }) => this.#send(frame),
      refuse: (topic, error) => {
        this.#feeds.leave(topic, this);
        this.refused(topic, error);
      },
      complete: (topic, sequence) => {
        this.#catchingUp.delete(topic);
        this.#complete.set(topic, sequence);
      },
    });
  }

  #run(catchUp: CatchUp): Promise<void> {
    if (this.#nextCatchUp === catchUp) this.#nextCatchUp = undefined;
    return catchUp.run();
  }

  /** Stops reading until the second is over when there were too many messages in it. */
  #countMessage(): void {
    const now = performance.now();
    if (now - this.#secondStart >= 1_000) {
      this.#secondStart = now;
      this.#messagesThisSecond = 0;
    }
    this.#messagesThisSecond += 1;
    if (this.#messagesThisSecond !== this.#limits.messagesPerSecond) return;
    this.#socket.pause();
    this.#pause = setTimeout(() => this.#socket.resume(), this.#secondStart + 1_000 - now);
  }

  #sendError(error: ApiError): void {
    this.#counters.requestsRefused += 1;
    const { code, message } = error;
    const range = error instanceof ResumeRangeError ? { oldest: error.oldest, next: error.next } : {};
    this.#send(textFrame(JSON.stringify({ topic: "error", data: { code, message, ...range } })));
  }

  #forget(topic: string): boolean {
    if (!this.#topics.delete(topic)) return false;
    this.#catchingUp.get(topic)?.drop(topic);
    this.#catchingUp.delete(topic);
    this.#complete.delete(topic);
    this.#counters.subscriptions -= 1;
    return true;
  }

  #leaveAll(): void {
    for (const topic of this.#topics) {
      this.#forget(topic);
      this.#feeds.leave(topic, this);
    }
  }
}
