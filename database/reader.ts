import type pg from "pg";
import type { ReadValue } from "./bind-message.js";
import type { Db } from "./database.js";
import { statementChannel } from "./prepared-client.js";
import { ReadQuery } from "./read-query.js";
import type { Rows } from "./rows.js";
import type { StatementNames } from "./statement-names.js";

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
