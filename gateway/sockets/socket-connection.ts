import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { FairQueue } from "../clients/fair-queue.js";
import type { Reader, ReceiveLimit } from "../clients/receive-limit.js";
import { RequestQueue, type RequestQueueOwner } from "../clients/request-queue.js";
import { CloseCode } from "../http/close-code.js";

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
  readonly steps: FairQueue;
  /** Meters all connections of the client. */
  readonly receiveLimit: ReceiveLimit;
}

/**
 * A WebSocket connection, whatever its protocol: its messages are handled in the client's turns, it is paused while the
 * client sends too much, and it has to answer pings.
 */
export abstract class SocketConnection implements RequestQueueOwner, Reader {
  readonly clientKey: string;
  readonly stream: Duplex;
  protected readonly socket: WebSocket;
  readonly #steps: FairQueue;
  readonly #receiveLimit: ReceiveLimit;
  /** While requests are pending. */
  #requests: RequestQueue | undefined;
  #heard = true;
  /** Number of reasons to pause reading: the queue is full, the client has sent too much. */
  #pauses = 0;
  /** Bytes received after it was closed. */
  #lateBytes = 0;

  constructor({ socket, stream, clientKey, steps, receiveLimit }: SocketOptions) {
    this.socket = socket;
    this.stream = stream;
    this.clientKey = clientKey;
    this.#steps = steps;
    this.#receiveLimit = receiveLimit;
    receiveLimit.add(this);
    stream.on("data", (chunk: Buffer) => this.#countBytes(chunk.length));
    socket.on("message", (data) => this.#receive(data as Buffer));
    socket.on("pong", () => {
      this.#heard = true;
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
    if (!this.#heard || isStalled) {
      this.socket.terminate();
      return isStalled ? "stalled" : "dead";
    }
    this.#heard = false;
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

  onPaused(): void {
    if (this.#requests?.isEmpty) this.#requests = undefined;
  }

  /** Nothing more is received. */
  protected end(): void {
    this.#receiveLimit.remove(this);
    this.#requests?.close();
    this.#requests = undefined;
    // So that the closing handshake is read.
    if (this.#pauses > 0) this.socket.resume();
  }

  #countBytes(bytes: number): void {
    this.#receiveLimit.countBytes(bytes);
    if (this.isOpen) return;
    // It is read until the closing handshake.
    this.#lateBytes += bytes;
    if (this.#lateBytes > MAX_LATE_BYTES) this.socket.terminate();
  }

  #receive(message: Buffer): void {
    this.#heard = true;
    if (!this.isOpen) return;
    this.#requests ??= new RequestQueue(this, this.#steps, this.#receiveLimit);
    this.#requests.add(message);
  }
}
