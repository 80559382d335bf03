import type pg from "pg";
import type { Db } from "./database.js";
import { MessageCode, type MessageTaker, splitterOf } from "./message-splitter.js";
import { type StatementNames, statementChannel } from "./prepared-client.js";
import { Rows } from "./rows.js";

/** Members of the driver's connection that its type declarations lack. */
interface Connection {
  /** Texts by names: on the server, and on their way to it. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  readonly stream: { write(bytes: Buffer): boolean; readonly writable: boolean; cork(): void; uncork(): void };
  parse(statement: { readonly text: string; readonly name: string }): void;
  sync(): void;
}

/**
 * A statement whose rows are read in the binary format, as the driver runs it: one message to the server, without a
 * description of the columns, which its author knows.
 */
export class ReadQuery implements MessageTaker {
  readonly text: string;
  /** Under which it is prepared; empty if it is used once. */
  readonly name: string;
  readonly #values: readonly ReadValue[];
  readonly #rows = new Rows();
  /** Called by the driver too, if the connection is lost. */
  readonly callback: (error: Error | null, rows: Rows) => void;
  #connection: Connection | undefined;

  constructor(
    { text, name = "" }: { readonly text: string; readonly name?: string | undefined },
    values: readonly ReadValue[],
    callback: (error: Error | null, rows: Rows) => void,
  ) {
    this.text = text;
    this.name = name;
    this.#values = values;
    this.callback = callback;
  }

  /** Runs it on a client of {@link PreparedClient}. */
  runOn(client: pg.ClientBase): void {
    client.query(this as unknown as pg.Submittable);
  }

  submit(connection: Connection): Error | null {
    const { name, text } = this;
    splitterOf(connection).taker = this;
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
    if (code === MessageCode.dataRow) this.#rows.add(bytes, start);
  }

  handleReadyForQuery(): void {
    this.#end();
    this.callback(null, this.#rows);
  }

  handleError(error: Error): void {
    this.#end();
    this.callback(error, this.#rows);
  }

  #end(): void {
    if (this.#connection) splitterOf(this.#connection).taker = undefined;
  }
}

/** A value of a parameter. */
export type ReadValue = number | bigint | string | boolean | Buffer | null | readonly (number | bigint | Buffer)[];

/** Runs the portal without a name to its end, and ends the read. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);
const BIND = 0x42;
const BINARY = 1;
/** Of the code and the length. */
const HEADER_SIZE = 5;
/** Of both counts, and of the one format of all results. */
const COUNTS_SIZE = 8;
const FORMAT_SIZE = 2;
const LENGTH_SIZE = 4;

/**
 * The messages that run a prepared statement with these values, and request all results in the binary format. Buffers
 * are sent as they are, other values as text.
 * @param name of the statement, ASCII
 */
export function bindMessage(name: string, values: readonly ReadValue[]): Buffer {
  const forms = values.map(formOf);
  let size = HEADER_SIZE + 1 + name.length + 1 + COUNTS_SIZE + values.length * (FORMAT_SIZE + LENGTH_SIZE);
  for (const form of forms) size += form === null ? 0 : Buffer.byteLength(form);
  const message = Buffer.allocUnsafe(size + EXECUTE_AND_SYNC.length);
  message[0] = BIND;
  message.writeInt32BE(size - 1, 1);
  // The portal has no name.
  message[HEADER_SIZE] = 0;
  let at = HEADER_SIZE + 1 + message.write(name, HEADER_SIZE + 1, "latin1");
  message[at++] = 0;
  at = message.writeInt16BE(values.length, at);
  for (const form of forms) at = message.writeInt16BE(typeof form === "object" && form ? BINARY : 0, at);
  at = message.writeInt16BE(values.length, at);
  for (const form of forms) at = writeValue(message, at, form);
  at = message.writeInt16BE(1, at);
  at = message.writeInt16BE(BINARY, at);
  EXECUTE_AND_SYNC.copy(message, at);
  return message;
}

function writeValue(message: Buffer, at: number, form: string | Buffer | null): number {
  if (form === null) return message.writeInt32BE(-1, at);
  const start = at + LENGTH_SIZE;
  const size = typeof form === "string" ? message.write(form, start) : form.copy(message, start);
  message.writeInt32BE(size, at);
  return start + size;
}

function formOf(value: ReadValue): string | Buffer | null {
  if (value === null || typeof value === "string" || Buffer.isBuffer(value)) return value;
  return Array.isArray(value) ? `{${value.map(itemText).join(",")}}` : String(value);
}

function itemText(item: number | bigint | Buffer): string {
  return Buffer.isBuffer(item) ? `"\\\\x${item.toString("hex")}"` : String(item);
}

/** Runs a statement on a connection of a database, and reads its rows in the binary format. */
export type Reader = (text: string, values: readonly ReadValue[]) => Promise<Rows>;

const readers = new WeakMap<Db, Reader>();

/** Sets how statements of `db` are read. */
export function setReader(db: Db, reader: Reader): void {
  readers.set(db, reader);
}

/** @throws RangeError when none was set for `db` */
export function readerOf(db: Db): Reader {
  const reader = readers.get(db);
  if (!reader) throw new RangeError("this database was not opened by openDatabase");
  return reader;
}

/** A reader that takes a client of `PreparedClient` for each statement; all of them share the names of statements. */
export function readerWith(take: () => Promise<pg.PoolClient>, names: StatementNames): Reader {
  const run: Reader = async (text, values) => {
    const client = await take();
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, rows: Rows) => {
        // The server closes the connection: the next statement would fail on it.
        client.release((error as { readonly severity?: string } | null)?.severity === "FATAL");
        if (error) reject(error);
        else resolve(rows);
      };
      new ReadQuery({ text, name: names.of(text) }, values, settle).runOn(client);
    });
  };
  return (text, values) =>
    statementChannel.hasSubscribers
      ? statementChannel.tracePromise(() => run(text, values), { text })
      : run(text, values);
}
