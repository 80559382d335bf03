import { sql } from "kysely";
import type { Db } from "../database.js";
import { originOf } from "../lists/operation-db.js";

/** What an answer made of blocks and state depends on. */
export interface ServedPoint {
  /** Of the head. */
  readonly hash: Buffer;
  readonly finalizedEpoch: number;
  readonly finalizedPoint: number;
  /** No state entry waits to be read, so that none changes as long as the head stays. */
  readonly isStateSettled: boolean;
}

/** The head and whether the state is as of it, of one moment; undefined before the first block was written. */
export async function readServedPoint(db: Db): Promise<ServedPoint | undefined> {
  return db
    .selectFrom("head")
    .select(["hash", "finalized_epoch as finalizedEpoch", "finalized_point as finalizedPoint"])
    .select(sql<boolean>`not exists (select from pending_states where unknown_version is null)`.as("isStateSettled"))
    .executeTakeFirst();
}

/** Databases whose state was once whole: it never is not there again. */
const whole = new WeakSet<Db>();

/** Whether the state was ever read as a whole: before, what is missing tells nothing. Asks the database until it was. */
export async function isStateThere(db: Db): Promise<boolean> {
  if (whole.has(originOf(db))) return true;
  const head = await db.selectFrom("head").select("state_height").executeTakeFirst();
  if (head?.state_height == null) return false;
  whole.add(originOf(db));
  return true;
}
