import { takeConnection } from "../connection.js";
import type { Db } from "../database.js";
import { SharedConnection } from "../single-connection.js";
import { originOf, setOrigin } from "../statement.js";

/**
 * Runs `work` on one snapshot of the database: all that it reads is of one state of the chain. It has one connection,
 * until its promise settles, and cannot write.
 * @throws RangeError when the original of `db` was not created by `openDatabase`
 */
export async function inOneState<Result>(db: Db, work: (db: Db) => Promise<Result>): Promise<Result> {
  const origin = originOf(db);
  const client = await takeConnection(origin);
  const snapshot = new SharedConnection(client);
  setOrigin(snapshot.db, origin);
  let isBroken = true;
  try {
    await client.query("begin isolation level repeatable read, read only");
    try {
      return await work(snapshot.db);
    } finally {
      await snapshot.close();
      await client.query("commit");
      isBroken = false;
    }
  } finally {
    client.release(isBroken);
  }
}
