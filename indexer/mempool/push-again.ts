import { sql } from "kysely";
import type { Logger } from "pino";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { HELD, NEXT_PUSH } from "../../database/mempool/announcements.js";
import type { AnnouncementKind } from "../../database/tables/pending.js";
import { releaseHeld } from "./held-announcements.js";

type Pushing = Pick<NodeClient, "pushTransactions" | "pushPartialTransactions" | "pushCosignatures">;

export interface PushAgainOptions {
  readonly db: Db;
  readonly node: Pushing;
  readonly log: Logger;
}

/** Maximum number of announcements pushed again at one time. */
const MAX_PUSHES = 100;
/**
 * Transactions that expire sooner than this are not pushed again: the node would reject them, and everything that
 * arrives with them. In ms.
 */
const LEAST_LEFT_MS = 10_000;

/**
 * Pushes announcements of gateways that were held and that the node now takes, and again those that it has not reported
 * although it would check them as if they were new.
 * @param now milliseconds since the network's epoch
 * @returns the number pushed
 * @throws errors of the node client; what was not pushed is pushed the next time
 */
export async function pushAgain({ db, node, log }: PushAgainOptions, now: number): Promise<number> {
  await markReported(db);
  await releaseHeld(db);
  const due = await db
    .selectFrom("announcements")
    .select(["hash", "kind", "payload", "pushes"])
    .where("next_push_at", "<=", sql<Date>`now()`)
    .where("deadline", ">", now + LEAST_LEFT_MS)
    .orderBy("next_push_at")
    .limit(MAX_PUSHES)
    .execute();
  for (const { hash, kind, payload, pushes } of due) {
    await push(node, kind, payload);
    await db
      .updateTable("announcements")
      .set({
        last_pushed_at: sql`now()`,
        pushes: sql`pushes + 1`,
        next_push_at: NEXT_PUSH,
      })
      .where("hash", "=", hash)
      .where("next_push_at", "is not", null)
      .execute();
    log.info({ kind, hash: hash.toString("hex"), pushes: pushes + 1 }, "Pushed an announcement");
  }
  return due.length;
}

/**
 * Records that there is nothing to push any more if the tables show the outcome, also of cosignatures. A held one
 * outlives the rejection of what it waits for, which can be announced again.
 */
async function markReported(db: Db): Promise<void> {
  await sql`
    update announcements a set next_push_at = null, heard_at = coalesce(a.heard_at, now())
    where (a.next_push_at <= now() or a.next_push_at = ${HELD}) and (
      exists (select from transactions t where t.hash = coalesce(a.parent_hash, a.hash))
      or exists (select from unconfirmed_transactions u where u.hash = coalesce(a.parent_hash, a.hash))
      or a.next_push_at <> ${HELD} and exists (select from transaction_statuses s
        where s.hash = coalesce(a.parent_hash, a.hash) and s.recorded_at >= a.announced_at)
      or (a.kind <> 'cosignature' and exists (select from partial_transactions p where p.hash = a.hash))
      or (a.kind = 'cosignature' and exists (select from partial_cosignatures c
        where c.hash = a.parent_hash and c.signer_public_key = substring(a.payload from 9 for 32))))`.execute(db);
}

function push(node: Pushing, kind: AnnouncementKind, payload: Buffer): Promise<void> {
  switch (kind) {
    case "transaction":
      return node.pushTransactions([payload]);
    case "partial":
      return node.pushPartialTransactions([payload]);
    case "cosignature":
      return node.pushCosignatures([payload]);
  }
}
