import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import { CloseCode } from "../http/close-code.js";
import type { Inbox, InboxConnection } from "./inbox.js";

/** Bytes that a client may send after its connection was closed. */
const MAX_LATE_BYTES = 64 * 1024;

export interface SocketOptions {
  readonly socket: WebSocket;
  /**
   * The underlying socket. Messages are written there as whole frames, which `ws` would create again for each
   * connection.
   */
  readonly stream: Duplex;
  readonly clientKey: string;
  /** The inbox of all connections of the client. */
  readonly inbox: Inbox;
}

/**
 * A WebSocket connection, whatever its protocol: its messages go through the client's inbox, and it has to answer pings.
 */
export abstract class SocketConnection implements InboxConnection {
  readonly clientKey: string;
  readonly stream: Duplex;
  protected readonly socket: WebSocket;
  readonly #inbox: Inbox;
  #isAlive = true;
  /** Number of reasons to pause reading. */
  #pauses = 0;
  /** Bytes received after it was closed. */
  #lateBytes = 0;

  constructor({ socket, stream, clientKey, inbox }: SocketOptions) {
    this.socket = socket;
    this.stream = stream;
    this.clientKey = clientKey;
    this.#inbox = inbox;
    inbox.add(this);
    stream.on("data", (chunk: Buffer) => this.#countBytes(chunk.length));
    socket.on("message", (data) => this.#receive(data as Buffer));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    socket.on("close", () => this.end());
    // A broken frame or a reset: `close` follows.
    socket.on("error", () => undefined);
  }

  /** Handles a message of the client. */
  abstract handle(message: Buffer): void;

  /** Called with each ping. @returns whether the client took none of the queued bytes for several pings */
  protected abstract isStalled(): boolean;

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /**
   * Pings; ends the connection if the last ping was not answered, or the client takes none of the queued bytes.
   * @returns why it was ended
   */
  ping(): "stalled" | "dead" | undefined {
    const isStalled = this.isStalled();
    if (!this.#isAlive || isStalled) {
      this.socket.terminate();
      return isStalled ? "stalled" : "dead";
    }
    this.#isAlive = false;
    if (this.isOpen) this.socket.ping();
    return undefined;
  }

  /** Closes with a reason of at most 123 bytes; earlier messages still arrive if the client reads. */
  close(code: number, reason: string): void {
    this.end();
    this.socket.close(code, reason);
  }

  fail(): void {
    this.close(CloseCode.internalError, "The gateway failed");
  }

  pause(): void {
    this.#pauses += 1;
    this.socket.pause();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.socket.resume();
  }

  onPaused(): void {}

  /** Nothing more is received. */
  protected end(): void {
    this.#inbox.remove(this);
    // So that the closing handshake is read.
    if (this.#pauses > 0) this.socket.resume();
  }

  #countBytes(bytes: number): void {
    this.#inbox.countBytes(bytes);
    if (this.isOpen) return;
    // A closed socket is read until the closing handshake.
    this.#lateBytes += bytes;
    if (this.#lateBytes > MAX_LATE_BYTES) this.socket.terminate();
  }

  #receive(message: Buffer): void {
    this.#isAlive = true;
    if (this.isOpen) this.#inbox.receive(this, message);
  }
}
