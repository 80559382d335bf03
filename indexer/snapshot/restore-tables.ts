import type { Logger } from "pino";
import { hex } from "../../catapult/entity/hex.js";
import { openDatabase } from "../../database/connection.js";
import { SingleConnection } from "../../database/single-connection.js";
import { COPIED_TABLES } from "../step/copy-tables.js";
import { createDeferredIndexes, deferIndexes } from "../step/deferred-indexes.js";
import { WriterLock } from "../step/writer-lock.js";
import { SnapshotError } from "./errors.js";
import type { SnapshotProgress } from "./header.js";
import type { Snapshot } from "./snapshot.js";
import { migrationsOf, readTables } from "./tables.js";
import { verifyState } from "./verify-state.js";

export interface RestoreTablesOptions {
  readonly databaseUrl: string;
  /** Verified. */
  readonly snapshot: Snapshot;
  readonly log: Logger;
  readonly onProgress: (progress: SnapshotProgress) => void;
}

/**
 * Restores all tables of a snapshot into an empty database, in one transaction that ends only if the roots of the
 * state trees and the head are right.
 * @throws SnapshotError when the database is not empty, has another schema, or the tables are wrong: nothing has
 *   changed then
 */
export async function restoreTables(options: RestoreTablesOptions, signal: AbortSignal): Promise<void> {
  const { databaseUrl, snapshot, log, onProgress } = options;
  const lock = await WriterLock.acquire({ databaseUrl, log, signal });
  if (!lock) return;
  const db = openDatabase({ url: databaseUrl, poolSize: 1, statementTimeoutMs: 0 });
  const connection = await SingleConnection.open(databaseUrl, "symbol-gateway snapshot");
  try {
    const head = await db.selectFrom("head").select("height").executeTakeFirst();
    if (head && head.height > 0) {
      throw new SnapshotError(`The database has an index at height ${head.height}: restore into an empty one`);
    }
    const [own, saved] = [await migrationsOf(connection), snapshot.header.migrations];
    if (own.join() !== saved.join()) {
      throw new SnapshotError(
        `The snapshot has the schema ${saved.at(-1)}, and the database has ${own.at(-1)}: they must be the same`,
      );
    }
    await deferIndexes(db, COPIED_TABLES);
    let done = 0;
    await connection.db.transaction().execute(async (trx) => {
      const onRows = () => {
        done += 1;
        onProgress({ stage: "restoring", done, total: snapshot.rowParts, unit: "parts" });
      };
      await readTables(connection, snapshot, { signal, onRows });
      await verifyState(trx);
      const { height, hash } = await trx.selectFrom("head").select(["height", "hash"]).executeTakeFirstOrThrow();
      if (height === snapshot.header.height && hex(hash) === snapshot.header.hash) return;
      throw new SnapshotError(`The head of the tables is at height ${height}, not that of the header`);
    });
  } finally {
    await createDeferredIndexes({ db, log }, signal).catch((error: unknown) =>
      log.warn({ err: error }, "Some indexes remain to be created by the next indexer"),
    );
    await connection.close();
    await db.destroy();
    await lock.release();
  }
}
