import type { Db } from "../database.js";
import { originOf, setOrigin } from "./operation-db.js";

/**
 * Runs `work` on one snapshot of the database: all that it reads is of one state of the chain. It has one connection,
 * until its promise settles, and cannot write.
 */
export function inOneState<Result>(db: Db, work: (db: Db) => Promise<Result>): Promise<Result> {
  const transaction = db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
  return transaction.execute((snapshot) => {
    setOrigin(snapshot, originOf(db));
    return work(snapshot);
  });
}
