import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { type RawData, WebSocket } from "ws";
import { ApiError } from "../../schema/services/errors.js";
import { Inbox, type InboxOwner } from "../clients/inbox.js";
import type { Intake, Reader } from "../clients/intake.js";
import { CloseCode } from "../http/close-code.js";
import type { ConnectionCounters } from "../http/metrics.js";
import { startedFrame, textFrame } from "../http/text-frame.js";
import type { Packing } from "../messages/packing.js";
import { errorBody, Recipient, type RecipientOwner, type RecipientServices } from "../messages/recipient.js";
import type { WebSocketLimits } from "./limits.js";
import { ProtocolViolation, parseRequest } from "./request.js";

const UID_BYTES = 15;
/** Bytes that a client may send after its connection was closed. */
const MAX_LATE_BYTES = 64 * 1024;

/** A message is one frame. */
const frames: Packing = { start: startedFrame, end: Buffer.alloc(0) };

/** Shared services of all connections. */
export interface ConnectionServices {
  readonly messages: RecipientServices;
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

/** One client's connection: its uid, its requests, and what it receives. */
export class Connection implements RecipientOwner, InboxOwner, Reader {
  /** 20 random characters that the client must repeat in each request. */
  readonly uid = randomBytes(UID_BYTES).toString("base64url");
  readonly stream: Duplex;
  readonly packing = frames;
  readonly clientKey: string;
  readonly #socket: WebSocket;
  readonly #services: ConnectionServices;
  readonly #intake: Intake;
  readonly #recipient: Recipient;
  /** While requests are pending. */
  #inbox: Inbox | undefined;
  #heard = true;
  /** Number of reasons to pause reading: the inbox is full, the client has sent too much. */
  #pauses = 0;
  /** Bytes received after it was closed. */
  #lateBytes = 0;

  /** Greets the client with its uid. */
  constructor({ socket, stream, services, clientKey, intake, sequence }: ConnectionOptions) {
    const { messages, limits, counters } = services;
    this.#socket = socket;
    this.stream = stream;
    this.clientKey = clientKey;
    this.#services = services;
    this.#intake = intake;
    this.#recipient = new Recipient({ owner: this, services: messages, limits, counters });
    intake.add(this);
    stream.on("data", (chunk: Buffer) => this.#countBytes(chunk.length));
    socket.on("message", (data) => this.#receive(data));
    socket.on("pong", () => {
      this.#heard = true;
    });
    socket.on("close", () => this.#end());
    // A broken frame or a reset: `close` follows.
    socket.on("error", () => undefined);
    this.#recipient.sendBytes(textFrame(JSON.stringify({ uid: this.uid, sequence })));
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  write(parts: readonly Buffer[]): void {
    const { stream } = this;
    if (parts.length > 1) stream.cork();
    for (const part of parts) stream.write(part);
    if (parts.length > 1) stream.uncork();
  }

  onRejected(error: ApiError): void {
    this.#services.counters.requestsRejected += 1;
    this.#recipient.sendBytes(textFrame(JSON.stringify({ topic: "error", data: errorBody(error) })));
  }

  onOverflow(): void {
    this.#services.counters.slowClosed += 1;
    this.close(CloseCode.tryAgainLater, "The client reads too slowly");
  }

  onMissed(): void {
    this.close(CloseCode.tryAgainLater, "Messages were missed: reconnect and subscribe again");
  }

  /** Pings; closes the connection if the last ping was not answered, or it takes none of the queued bytes. */
  ping(): void {
    const isStalled = this.#recipient.isStalled();
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
    this.#inbox ??= new Inbox(this, this.#services.messages.turns, this.#intake);
    this.#inbox.add(data as Buffer);
  }

  onPaused(): void {
    if (this.#inbox?.isEmpty) this.#inbox = undefined;
    void this.#recipient.catchUp();
  }

  handle(request: Buffer): void {
    try {
      const { action, topic, from } = parseRequest(request.toString(), this.uid);
      if (action === "unsubscribe") this.#recipient.unsubscribe(topic);
      else void this.#recipient.subscribe(topic, from);
    } catch (error) {
      if (error instanceof ApiError) this.onRejected(error);
      else if (error instanceof ProtocolViolation) this.close(CloseCode.policyViolation, error.message);
      else throw error;
    }
  }

  /** Nothing more is received or sent. */
  #end(): void {
    this.#intake.remove(this);
    this.#inbox?.close();
    this.#inbox = undefined;
    // So that the closing handshake is read.
    if (this.#pauses > 0) this.#socket.resume();
    this.#recipient.end();
  }
}
