import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type pg from "pg";

/** Codes of the server's messages that belong to a read. */
export const MessageCode = { dataRow: 0x44, bindComplete: 0x32, commandComplete: 0x43 } as const;

/** Receives the messages of a read in progress. */
export interface MessageTaker {
  /** A message from `start` (after its length) to `end` of these bytes, which are never written to again. */
  take(code: number, bytes: Buffer, start: number, end: number): void;
}

/** The code of a message, and its length, which includes the four bytes of itself. */
const HEADER_SIZE = 5;

/**
 * Passes the messages of a server to the driver, except those that belong to a read in progress: the driver creates a
 * string from each value, which binary values would not survive.
 */
export class MessageSplitter {
  /** The read in progress. */
  taker: MessageTaker | undefined;
  readonly #driver: EventEmitter;
  /** The parts of a message that has not been received completely, and the number of missing bytes that is known. */
  #begun: Buffer[] = [];
  #missing = 0;

  /** @param driver receives `data` with whole messages */
  constructor(driver: EventEmitter) {
    this.#driver = driver;
  }

  /** Processes bytes from the server. */
  push(received: Buffer): void {
    const bytes = this.#joined(received);
    if (!bytes) return;
    let at = 0;
    let passed = 0;
    while (at + HEADER_SIZE <= bytes.length) {
      const end = at + messageSize(bytes, at);
      if (end > bytes.length) break;
      const code = bytes[at]!;
      if (this.taker && isOfRead(code)) {
        // In their order: an earlier message may have ended the read.
        this.#pass(bytes, passed, at);
        this.taker?.take(code, bytes, at + HEADER_SIZE, end);
        passed = end;
      }
      at = end;
    }
    if (at < bytes.length) {
      const begun = bytes.subarray(at);
      this.#begun = [begun];
      this.#missing = (begun.length < HEADER_SIZE ? HEADER_SIZE : messageSize(begun, 0)) - begun.length;
    }
    this.#pass(bytes, passed, at);
  }

  #pass(bytes: Buffer, start: number, end: number): void {
    if (start < end) this.#driver.emit("data", bytes.subarray(start, end));
  }

  /** These bytes after those of a message that has begun; undefined if too few of it are there. */
  #joined(received: Buffer): Buffer | undefined {
    if (this.#begun.length === 0) return received;
    this.#begun.push(received);
    this.#missing -= received.length;
    if (this.#missing > 0) return undefined;
    const bytes = Buffer.concat(this.#begun);
    this.#begun = [];
    return bytes;
  }
}

function messageSize(bytes: Buffer, at: number): number {
  return 1 + bytes.readUInt32BE(at + 1);
}

function isOfRead(code: number): boolean {
  return code === MessageCode.dataRow || code === MessageCode.bindComplete || code === MessageCode.commandComplete;
}

/** Members of the driver that its type declarations lack. */
interface Connection {
  attachListeners(stream: Duplex | EventEmitter): void;
}

const splitters = new WeakMap<object, MessageSplitter>();

/** Splits the messages to a client, which has not been connected yet. */
export function splitMessages(client: pg.Client): void {
  const { connection } = client as unknown as { readonly connection: Connection };
  const attach = connection.attachListeners;
  // Called with the socket, or with its TLS stream.
  connection.attachListeners = (stream) => {
    const driver = new EventEmitter();
    attach.call(connection, driver);
    const splitter = new MessageSplitter(driver);
    splitters.set(connection, splitter);
    stream.on("data", (bytes: Buffer) => splitter.push(bytes));
    stream.once("end", () => driver.emit("end"));
  };
}

/** The splitter of a connection of the driver. @throws TypeError when its messages are not split */
export function splitterOf(connection: object): MessageSplitter {
  const splitter = splitters.get(connection);
  if (!splitter) throw new TypeError("the messages of this connection are not split");
  return splitter;
}
