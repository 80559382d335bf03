import type pg from "pg";
import { bindMessage, type ReadValue } from "./bind-message.js";
import { MessageCode, type MessageTaker, splitterOf } from "./message-splitter.js";
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
