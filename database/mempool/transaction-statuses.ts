import { sql } from "kysely";
import { decodeEntityNumber } from "../../catapult/json/entity-id.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import type { Db } from "../database.js";

export interface TransactionStatus {
  readonly group: "confirmed" | "unconfirmed" | "partial" | "failed";
  /** `Success`, or the name of the failure code. */
  readonly code: string;
  readonly hash: Buffer;
  /** Milliseconds since the network's epoch adjustment. */
  readonly deadline: bigint;
  /** 0 if it is in no block; absent if it failed. */
  readonly height?: number;
  /** True if no node shows it: it was announced here and is not reported yet, or is partial and was forgotten. */
  readonly held?: true;
  /** What a held one waits for: its hash lock, or a report of the node, which has it. */
  readonly waitsFor?: WaitsFor;
}

/** What an announcement that no node has reported waits for. */
export type WaitsFor = "lock" | "node";

/**
 * Sources of a status; the first match wins. A transaction that may still be confirmed is never called failed, so an
 * older rejection is the last, and before it one of a gateway whose message is still to come. The table of
 * `indexer/mempool/lifecycle.ts` explains them.
 */
const SOURCES = ["confirmed", "unconfirmed", "partial", "awaited", "held", "rejected", "failed"] as const;

/** Where no indexer works, older rejections by gateways have no status until one does. */
const MAX_UNREPORTED = 1_000;

interface StatusRow {
  readonly hash: Buffer;
  readonly source: (typeof SOURCES)[number];
  readonly id: number | bigint | null;
  readonly deadline: string;
  readonly code: string | null;
  readonly group: PendingGroup | null;
  readonly isPushed: boolean | null;
}

/**
 * Statuses of transactions by hash (32 bytes), in the order of the request; unknown ones are omitted. An awaited
 * transaction has its last group, a held one the group that it would have. A partial aggregate that the node has
 * forgotten is held until it has it again: no list shows it meanwhile.
 */
export async function findTransactionStatuses(db: Db, hashes: readonly Buffer[]): Promise<TransactionStatus[]> {
  if (hashes.length === 0) return [];
  const requested = sql`unnest(${[...hashes]}::bytea[]) a(hash)`;
  const { rows } = await sql<StatusRow>`
    select t.hash, 'confirmed' as source, t.id, t.deadline::text, null as code, null as "group", null::boolean as "isPushed"
      from ${requested} join transactions t on t.hash = a.hash
    union all
    select p.hash, p."group", null, p.deadline::text, null, null, null
      from ${requested} join pending_transactions p on p.hash = a.hash
    union all
    select s.hash, 'failed', null, s.deadline::text, s.code, null, null
      from ${requested} join transaction_statuses s on s.hash = a.hash
    union all
    select r.hash, 'rejected', null, r.deadline::text, r.code, null, null
      from ${requested} join (select * from rejected_announcements order by id desc limit ${MAX_UNREPORTED}) r on r.hash = a.hash
    union all
    select w.hash, 'awaited', null, w.deadline::text, null, w."group",
        (select nullif(a.state, 'reported') = 'pushed' from announcements a where a.hash = w.hash and w."group" = 'partial')
      from ${requested} join awaited_transactions w on w.hash = a.hash
    union all
    select h.hash, 'held', null, h.deadline::text, null,
        case h.kind when 'partial' then 'partial' else 'unconfirmed' end, h.state = 'pushed'
      from ${requested} join announcements h on h.hash = a.hash
      where h.reported_at is null and h.kind <> 'cosignature' and not exists (
        select from transaction_statuses s where s.hash = h.hash and s.recorded_at >= h.announced_at)`.execute(db);
  rows.sort((a, b) => SOURCES.indexOf(b.source) - SOURCES.indexOf(a.source));
  const found = new Map(rows.map((row) => [row.hash.toString("hex"), toStatus(row)]));
  return hashes.flatMap((hash) => found.get(hash.toString("hex")) ?? []);
}

function toStatus(row: StatusRow): TransactionStatus {
  const { hash, source } = row;
  const deadline = BigInt(row.deadline);
  if (source === "rejected" || source === "failed")
    return { group: "failed", code: row.code ?? "Failure", hash, deadline };
  const group = source === "awaited" || source === "held" ? (row.group ?? "unconfirmed") : source;
  const height = source === "confirmed" && row.id !== null ? decodeEntityNumber(BigInt(row.id)).height : 0;
  const isHeld = source === "held" || (source === "awaited" && row.isPushed !== null);
  const held = isHeld && ({ held: true, waitsFor: row.isPushed === false ? "lock" : "node" } as const);
  return { group, code: "Success", hash, deadline, height, ...held };
}
