import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { FairTurns } from "../clients/fair-turns.js";
import { Inbox, type InboxOwner } from "../clients/inbox.js";
import type { Intake, Reader } from "../clients/intake.js";
import { CloseCode } from "../http/close-code.js";

/** Number of consecutive checks in which a client may take none of the queued bytes. */
const MAX_STALLS = 2;

export interface GraphqlSocketOptions {
  readonly socket: WebSocket;
  readonly stream: Duplex;
  readonly clientKey: string;
  readonly turns: FairTurns;
  /** Meters all connections of the client. */
  readonly intake: Intake;
  /** Maximum bytes queued while the client keeps sending. */
  readonly bufferedBytes: number;
  /** Called for internal errors caused by a message. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * One connection to `/graphql`: its messages are handled in the client's turns, and it is closed if it reads nothing.
 */
export class GraphqlSocket implements InboxOwner, Reader {
  readonly clientKey: string;
  readonly #options: GraphqlSocketOptions;
  readonly #socket: WebSocket;
  readonly #inbox: Inbox;
  #handle: (text: string) => Promise<void> = async () => undefined;
  #heard = true;
  /** Number of reasons to pause reading. */
  #pauses = 0;
  #sent = 0;
  #sentBefore = 0;
  #stalls = 0;

  constructor(options: GraphqlSocketOptions) {
    const { socket, stream, clientKey, turns, intake } = options;
    this.#options = options;
    this.#socket = socket;
    this.clientKey = clientKey;
    this.#inbox = new Inbox(this, turns, intake);
    intake.add(this);
    stream.on("data", (chunk: Buffer) => intake.countBytes(chunk.length));
    socket.on("message", (data) => {
      this.#heard = true;
      this.#inbox.add(data as Buffer);
    });
    socket.on("pong", () => {
      this.#heard = true;
    });
    // A broken frame or a reset: `close` follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      intake.remove(this);
      this.#inbox.close();
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Sets the handler of messages. */
  onMessage(handle: (text: string) => Promise<void>): void {
    this.#handle = handle;
  }

  /** Resolves when the text was passed to the operating system, or never will be. */
  send(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.send(text, () => {
        this.#sent += 1;
        resolve();
      });
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  /** Pings; closes the connection if the last ping was not answered, or it takes none of the queued bytes. */
  ping(): void {
    const hasProgress = this.#socket.bufferedAmount === 0 || this.#sent > this.#sentBefore;
    this.#stalls = hasProgress ? 0 : this.#stalls + 1;
    this.#sentBefore = this.#sent;
    if (!this.#heard || this.#stalls >= MAX_STALLS) {
      this.#socket.terminate();
      return;
    }
    this.#heard = false;
    this.#socket.ping();
  }

  pause(): void {
    this.#pauses += 1;
    this.#socket.pause();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#socket.resume();
  }

  handle(request: Buffer): void {
    if (this.#socket.bufferedAmount > this.#options.bufferedBytes) {
      this.close(CloseCode.tryAgainLater, "The client reads too slowly");
      return;
    }
    this.#handle(request.toString()).catch((error) => {
      this.#options.onFailure(error);
      this.close(CloseCode.internalError, "The gateway failed");
    });
  }

  onPaused(): void {}
}
