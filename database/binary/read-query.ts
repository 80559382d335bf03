import { EventEmitter } from "node:events";
import type { Duplex } from "node:stream";
import type pg from "pg";
import { BinaryWriter, type Columns, type RowOf, type RowType, writeNull } from "./rows.js";

/** Members of the driver's connection that its type declarations lack. */
interface Connection {
  /** Texts by names: on the server, and on their way to it. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  readonly stream: { write(bytes: Buffer): boolean; readonly writable: boolean; cork(): void; uncork(): void };
  parse(statement: { readonly text: string; readonly name: string }): void;
  /** Called with the socket, or with its TLS stream. */
  attachListeners(stream: Duplex | EventEmitter): void;
}

/** A statement to be read. */
export interface ReadText {
  readonly text: string;
  /** Under which it is prepared; undefined if it is used once. */
  readonly name?: string | undefined;
}

/**
 * A statement whose rows are read in the binary form, as the driver runs it: one message to the server, without a
 * description of the columns, which the declared row has.
 */
export class ReadQuery<Of extends Columns> implements MessageTaker {
  readonly text: string;
  readonly name: string;
  readonly #values: readonly unknown[];
  readonly #type: RowType<Of>;
  readonly #rows: RowOf<Of>[] = [];
  /** Called by the driver too, if the connection is lost. */
  readonly callback: (error: Error | null, rows: RowOf<Of>[]) => void;
  #connection: Connection | undefined;
  /** The error about a row that is not as declared. */
  #error: Error | undefined;

  constructor(
    { text, name = "" }: ReadText,
    values: readonly unknown[],
    type: RowType<Of>,
    callback: (error: Error | null, rows: RowOf<Of>[]) => void,
  ) {
    this.text = text;
    this.name = name;
    this.#values = values;
    this.#type = type;
    this.callback = callback;
  }

  /** Runs it on a client whose messages are split. */
  runOn(client: pg.ClientBase): void {
    client.query(this as unknown as pg.Submittable);
  }

  submit(connection: Connection): Error | null {
    const { name, text } = this;
    openSplitter(connection).taker = this;
    this.#connection = connection;
    const { stream, parsedStatements, submittedNamedStatements } = connection;
    if (!stream.writable) return null;
    const message = bindMessage(name, this.#values);
    if (name !== "" && (parsedStatements[name] ?? submittedNamedStatements[name]) !== undefined) {
      stream.write(message);
      return null;
    }
    stream.cork();
    connection.parse({ text, name });
    if (name !== "") submittedNamedStatements[name] = text;
    stream.write(message);
    stream.uncork();
    return null;
  }

  take(code: number, bytes: Buffer, start: number): void {
    if (code !== MessageCode.dataRow || this.#error) return;
    try {
      this.#rows.push(this.#type.read(bytes, start));
    } catch (error) {
      this.#error = error as Error;
    }
  }

  handleReadyForQuery(): void {
    this.#end();
    this.callback(this.#error ?? null, this.#rows);
  }

  handleError(error: Error): void {
    this.#end();
    this.callback(error, this.#rows);
  }

  #end(): void {
    if (this.#connection) openSplitter(this.#connection).taker = undefined;
  }
}

/** Runs the portal without a name to its end, and ends the read. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);
const BIND = 0x42;
const BINARY = 1;
const TEXT = 0;
/** Bytes of most messages. */
const FIRST_CAPACITY = 512;

/**
 * The messages that run a prepared statement with these values, and request all results in the binary form. Buffers
 * are sent as they are, other values as text.
 * @param name of the statement, ASCII
 */
function bindMessage(name: string, values: readonly unknown[]): Buffer {
  const forms = values.map(serializeValue);
  const writer = new BinaryWriter(FIRST_CAPACITY);
  writer.int8(BIND);
  writer.int32(0);
  // The portal has no name.
  writer.int8(0);
  writer.text(name);
  writer.int8(0);
  writer.int16(forms.length);
  for (const form of forms) writer.int16(typeof form === "object" && form ? BINARY : TEXT);
  writer.int16(forms.length);
  for (const form of forms) {
    if (form === null) writeNull(writer);
    else if (typeof form === "string") {
      const size = Buffer.byteLength(form);
      writer.int32(size);
      writer.text(form, size);
    } else {
      writer.int32(form.length);
      writer.append(form);
    }
  }
  writer.int16(1);
  writer.int16(BINARY);
  writer.replaceInt32(1, writer.size - 1);
  writer.append(EXECUTE_AND_SYNC);
  return writer.bytes();
}

function serializeValue(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || Buffer.isBuffer(value)) return value;
  return Array.isArray(value) ? `{${value.map(itemText).join(",")}}` : String(value);
}

function itemText(item: unknown): string {
  if (item === null || item === undefined) return "null";
  return Buffer.isBuffer(item) ? `"\\\\x${item.toString("hex")}"` : JSON.stringify(String(item));
}

/** Codes of the server's messages that belong to a read. */
const MessageCode = { dataRow: 0x44, bindComplete: 0x32, commandComplete: 0x43 } as const;

/** Receives the messages of a read in progress. */
interface MessageTaker {
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

  /**
   * The received bytes after those of a message that has begun; undefined if too few bytes of the message are there.
   */
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

const splitters = new WeakMap<object, MessageSplitter>();

/** When anything was received last. */
export interface Clock {
  /** When the last bytes were received, in ms of `performance.now()`. */
  receivedAt: number;
}

/** Splits the messages to a client, which has not been connected yet. @param clock is set with everything received */
export function splitMessages(client: pg.Client, clock: Clock): void {
  const { connection } = client as unknown as { readonly connection: Connection };
  const attach = connection.attachListeners;
  connection.attachListeners = (stream) => {
    const driver = new EventEmitter();
    attach.call(connection, driver);
    const splitter = new MessageSplitter(driver);
    splitters.set(connection, splitter);
    stream.on("data", (bytes: Buffer) => {
      clock.receivedAt = performance.now();
      splitter.push(bytes);
    });
    stream.once("end", () => driver.emit("end"));
  };
}

/** The splitter of a connection of the driver. @throws TypeError when its messages are not split */
function openSplitter(connection: object): MessageSplitter {
  const splitter = splitters.get(connection);
  if (!splitter) throw new TypeError("the messages of this connection are not split");
  return splitter;
}
