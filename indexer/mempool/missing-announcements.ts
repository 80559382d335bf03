import { sql } from "kysely";
import { lastPushTo } from "../../database/mempool/announcements.js";
import type { AnnouncementKind } from "../../database/tables/pending.js";
import type { IndexContext } from "../chain/step/index-context.js";
import type { Change } from "./change.js";
import { relatedAddresses } from "./deadlines.js";
import type { NodePool } from "./node-pool.js";

/** Number of consecutive polls of the node's pool without an announcement, after which the node does not have it. */
const MAX_POLLS = 5;
/** A node needs this long to check what was pushed to it, in seconds. */
const CHECK_S = 2;
const MAX_MISSING = 1_000;

/**
 * Finds what was pushed to the followed node, and is not in its pool: without a broker, a node does not say that it
 * rejected or dropped a transaction. It is pushed again all the same, when the node no longer ignores it.
 */
export class MissingAnnouncements {
  readonly #context: Pick<IndexContext, "db" | "network" | "log">;
  /** Polls in which it was missing, by hash. */
  #polls = new Map<string, number>();

  constructor(context: Pick<IndexContext, "db" | "network" | "log">) {
    this.#context = context;
  }

  /**
   * @param pool of the node with this identity (32 bytes), while the index has all of its blocks
   * @returns what has been missing in enough polls
   */
  async polled(pool: NodePool, node: Buffer): Promise<Change[]> {
    const { db, network, log } = this.#context;
    const { rows } = await sql<{ hash: Buffer; kind: AnnouncementKind; payload: Buffer; deadline: number }>`
      select hash, kind, payload, deadline from announcements a
      where reported_at is null and kind <> 'cosignature' and state = 'pushed'
        and ${lastPushTo(node)} between announced_at and now() - make_interval(secs => ${CHECK_S})
        and not exists (select from transaction_statuses s where s.hash = a.hash and s.recorded_at >= a.announced_at)
      order by announced_at limit ${MAX_MISSING}`.execute(db);
    const before = this.#polls;
    this.#polls = new Map();
    return rows.flatMap(({ hash, kind, payload, deadline }): Change[] => {
      const key = hash.toString("hex");
      const isWhole = pool.isWhole.unconfirmed && (kind === "transaction" || pool.isWhole.partial);
      if (!isWhole || pool.unconfirmed.has(key) || pool.partial.has(key)) return [];
      const polls = (before.get(key) ?? 0) + 1;
      this.#polls.set(key, polls);
      if (polls < MAX_POLLS) return [];
      return [
        { kind: "missing", hash, deadline: BigInt(deadline), addresses: relatedAddresses(payload, network, log) },
      ];
    });
  }
}
