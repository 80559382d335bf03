import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { FairTurns } from "../clients/fair-turns.js";
import { Inbox, type InboxOwner } from "../clients/inbox.js";
import type { Intake, Reader } from "../clients/intake.js";
import { CloseCode } from "../http/close-code.js";
import { startedFrame } from "../http/text-frame.js";
import type { EventResult } from "./event-result.js";

/** End of a message whose payload is sent separately, and what is sent instead. */
const PAYLOAD_END = "null}";
const MESSAGE_END = Buffer.from("}");
/** Number of consecutive checks in which a client may take none of the queued bytes. */
const MAX_STALLS = 2;

export interface GraphqlSocketOptions {
  readonly socket: WebSocket;
  /** The underlying socket: events are written there as whole frames, which `ws` would copy for each subscription. */
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
  /** Of the message that is being written. */
  #payload: readonly Buffer[] | undefined;
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

  /**
   * A payload for the next message, whose parts are sent as they are: in the text of the message it is null. It must be
   * the last field.
   */
  payloadOf({ parts }: EventResult): object {
    return {
      toJSON: () => {
        this.#payload = parts;
        return null;
      },
    };
  }

  /** Resolves when the text was passed to the operating system, or never will be. */
  send(text: string): Promise<void> {
    const payload = this.#payload;
    this.#payload = undefined;
    return new Promise((resolve) => {
      const onSent = () => {
        this.#sent += 1;
        resolve();
      };
      if (!payload) this.#socket.send(text, onSent);
      else if (this.isOpen) this.#write(text.slice(0, -PAYLOAD_END.length), payload, onSent);
      else resolve();
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

  #write(start: string, payload: readonly Buffer[], onSent: () => void): void {
    const { stream } = this.#options;
    const rest = payload.reduce((sum, { length }) => sum + length, MESSAGE_END.length);
    stream.cork();
    stream.write(startedFrame(start, rest));
    for (const part of payload) stream.write(part);
    stream.write(MESSAGE_END, onSent);
    stream.uncork();
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
