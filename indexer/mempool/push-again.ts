import { type RawBuilder, sql } from "kysely";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import type { Db } from "../../database/database.js";
import { inSeconds, lastPushTo, PUSH_WAIT_S, pushedNow } from "../../database/mempool/announcements.js";
import type { AnnouncementKind } from "../../database/tables/pending.js";
import type { IndexContext } from "../chain/step/index-context.js";
import { releaseHeld } from "./held-announcements.js";
import { NOT_TAKEN } from "./lifecycle.js";

/** The requests by which nodes take announcements. */
const PUSH = {
  transaction: "pushTransactions",
  partial: "pushPartialTransactions",
  cosignature: "pushCosignatures",
} as const satisfies Record<AnnouncementKind, keyof NodeClient>;

type Pushing = Pick<NodeClient, "connectedNode" | (typeof PUSH)[AnnouncementKind]>;

const MAX_PUSHES = 100;
/**
 * Transactions that expire sooner than this are not pushed again: the node would reject them, and everything that
 * arrives with them. In ms.
 */
const MIN_LEFT_MS = 10_000;

/** Pushes what gateways have announced: what was held, and what no node has reported. */
export class Pusher {
  readonly #client: Pushing;
  readonly #context: Pick<IndexContext, "db" | "log">;
  readonly #takesPartial: () => boolean;
  /** The node that was connected the last time. */
  #node: Buffer | undefined;

  /** @param takesPartial whether the node takes partial transactions; otherwise it closes the connection on them */
  constructor(client: Pushing, context: Pick<IndexContext, "db" | "log">, takesPartial: () => boolean) {
    this.#client = client;
    this.#context = context;
    this.#takesPartial = takesPartial;
  }

  /**
   * Pushes announcements that were held and that the node now takes, and those that no node has reported: to a node that
   * has not got them at once, again to the same one when it would check them as if they were new.
   *
   * @param now milliseconds since the network's epoch
   * @throws errors of the node client; what was not pushed is pushed the next time
   */
  async pushDue(now: number): Promise<void> {
    const { db, log } = this.#context;
    const to = this.#client.connectedNode?.publicKey;
    if (!to) return;
    if (!this.#node?.equals(to)) await beDueAt(db, to);
    this.#node = to;
    await markReported(db);
    await releaseHeld(db);
    await delayRepetitions(db, to);
    const due = await db
      .selectFrom("announcements")
      .select(["hash", "kind", "payload", "pushes"])
      .where("next_push_at", "<=", sql<Date>`now()`)
      .where("deadline", ">", now + MIN_LEFT_MS)
      .where("kind", "in", this.#takesPartial() ? ["transaction", "partial", "cosignature"] : ["transaction"])
      .orderBy("next_push_at")
      .limit(MAX_PUSHES)
      .execute();
    for (const { hash, kind, payload, pushes } of due) {
      await this.#client[PUSH[kind]]([payload], to);
      await db
        .updateTable("announcements")
        .set({
          last_pushed_at: sql`now()`,
          pushes: sql`pushes + 1`,
          pushed_to: sql`pushed_to || ${pushedNow(to)}`,
          next_push_at: inSeconds(PUSH_WAIT_S),
        })
        .where("hash", "=", hash)
        .where("next_push_at", "is not", null)
        .execute();
      log.info({ kind, hash: hash.toString("hex"), pushes: pushes + 1 }, "Pushed an announcement");
    }
  }
}

/** What another node got, and has not reported, is due at a node that has just been connected. */
async function beDueAt(db: Db, node: Buffer): Promise<void> {
  await sql`
    update announcements a set next_push_at = now()
    where next_push_at > now() and ${mayBePushedTo(node)}`.execute(db);
}

/** A node would ignore what it got a short time ago, and for longer with each repetition. */
async function delayRepetitions(db: Db, node: Buffer): Promise<void> {
  await sql`
    update announcements a set next_push_at = ${lastPushTo(node)} + make_interval(secs => ${PUSH_WAIT_S})
    where next_push_at <= now() and not ${mayBePushedTo(node)}`.execute(db);
}

function mayBePushedTo(node: Buffer): RawBuilder<boolean> {
  return sql<boolean>`(${lastPushTo(node)} <= now() - make_interval(secs => ${PUSH_WAIT_S}))`;
}

/**
 * Records that there is nothing to push any more if the tables show the outcome, also of cosignatures.
 */
async function markReported(db: Db): Promise<void> {
  await sql`
    update announcements a set state = 'reported', next_push_at = null, reported_at = coalesce(a.reported_at, now())
    where (a.next_push_at <= now() or a.state = 'held') and (
      exists (select from transactions t where t.hash = coalesce(a.parent_hash, a.hash))
      or exists (select from pending_transactions u
        where u.hash = coalesce(a.parent_hash, a.hash) and u."group" = 'unconfirmed')
      or exists (select from transaction_statuses s
        where s.hash = coalesce(a.parent_hash, a.hash) and s.recorded_at >= a.announced_at and s.code <> ${NOT_TAKEN})
      or (a.kind <> 'cosignature' and exists (
        select from pending_transactions p where p.hash = a.hash and p."group" = 'partial'))
      or (a.kind = 'cosignature' and exists (
        select from pending_transactions p join pending_cosignatures c on c.id = p.id
        where p.hash = a.parent_hash and p."group" = 'partial' and c.signer_public_key = substring(a.payload from 9 for 32))))`.execute(
    db,
  );
}
