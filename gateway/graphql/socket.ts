import { CloseCode } from "../http/close-code.js";
import { startedFrame } from "../http/text-frame.js";
import { SocketConnection, type SocketOptions } from "../sockets/socket-connection.js";
import type { EventResult } from "./event-result.js";

/** End of a message whose payload is sent separately, and what is sent instead. */
const PAYLOAD_END = "null}";
const MESSAGE_END = Buffer.from("}");
/** Number of consecutive checks in which a client may take none of the queued bytes. */
const MAX_STALLS = 2;

export interface GraphqlSocketOptions extends SocketOptions {
  /** Maximum bytes queued while the client keeps sending. */
  readonly bufferedBytes: number;
  /** Called when a message could not be handled: closes the connection. */
  readonly onFailure: (error: unknown) => void;
}

/** One connection to `/graphql`. */
export class GraphqlSocket extends SocketConnection {
  readonly #bufferedBytes: number;
  readonly #onFailure: (error: unknown) => void;
  #handle: (text: string) => Promise<void> = async () => undefined;
  /** The payload of the message that is being written. */
  #payload: readonly Buffer[] | undefined;
  #sent = 0;
  #sentBefore = 0;
  #stalls = 0;

  constructor({ bufferedBytes, onFailure, ...options }: GraphqlSocketOptions) {
    super(options);
    this.#bufferedBytes = bufferedBytes;
    this.#onFailure = onFailure;
  }

  /** Sets the handler of messages. */
  onMessage(handle: (text: string) => Promise<void>): void {
    this.#handle = handle;
  }

  /**
   * A payload for the next message, whose parts are sent as they are: in the text of the message it is null. It must be
   * the last field.
   */
  parsePayload({ parts }: EventResult): object {
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
      if (!payload) this.socket.send(text, onSent);
      else if (this.isOpen) this.#write(text.slice(0, -PAYLOAD_END.length), payload, onSent);
      else resolve();
    });
  }

  protected override isStalled(): boolean {
    const hasProgress = this.socket.bufferedAmount === 0 || this.#sent > this.#sentBefore;
    this.#stalls = hasProgress ? 0 : this.#stalls + 1;
    this.#sentBefore = this.#sent;
    return this.#stalls >= MAX_STALLS;
  }

  #write(start: string, payload: readonly Buffer[], onSent: () => void): void {
    const { stream } = this;
    const rest = payload.reduce((sum, { length }) => sum + length, MESSAGE_END.length);
    stream.cork();
    stream.write(startedFrame(start, rest));
    for (const part of payload) stream.write(part);
    stream.write(MESSAGE_END, onSent);
    stream.uncork();
  }

  override handle(request: Buffer): void {
    if (this.socket.bufferedAmount > this.#bufferedBytes) {
      this.close(CloseCode.tryAgainLater, "The client reads too slowly");
      return;
    }
    this.#handle(request.toString()).catch(this.#onFailure);
  }
}
