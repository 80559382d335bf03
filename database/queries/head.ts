import { type Selectable, sql } from "kysely";
import type { Db } from "../database.js";
import type { HeadTable } from "../tables/chain.js";
import { indexerFailureReason, unprovenFinalizationReason } from "./indexer-failures.js";
import { missingRuleReason, stateDiffersSince } from "./missing-rules.js";

export interface Finalization {
  readonly epoch: number;
  readonly point: number;
  readonly height: number;
  readonly hash: Buffer;
}

export interface Head {
  readonly height: number;
  readonly hash: Buffer;
  readonly score: bigint;
  readonly finalization: Finalization;
  readonly eventSequence: number;
}

/** The head row; undefined before the first block was written. */
export async function readHead(db: Db): Promise<Head | undefined> {
  const row = await db.selectFrom("head").selectAll().executeTakeFirst();
  if (!row) return undefined;
  return {
    height: row.height,
    hash: row.hash,
    score: BigInt(row.score),
    finalization: readFinalization(row),
    eventSequence: row.event_sequence,
  };
}

/** The head row of an index that has adopted a network. */
export async function requireHead(db: Db): Promise<Head> {
  const head = await readHead(db);
  if (!head) throw new Error("The head row is missing");
  return head;
}

/** The finalized block that a head row names. */
export function readFinalization(row: Selectable<HeadTable>): Finalization {
  return {
    epoch: row.finalized_epoch,
    point: row.finalized_point,
    height: row.finalized_height,
    hash: row.finalized_hash,
  };
}

/** The state of the index in a few numbers. */
export interface IndexPoint {
  /** 0 before the nemesis block. */
  readonly height: number;
  /** The timestamp of the newest block, in ms since the network's epoch adjustment; 0 before the nemesis block. */
  readonly timestamp: number;
  readonly finalizedHeight: number;
  /** Number of deferred database indexes that are not created yet: reading is slow without them. */
  readonly missingIndexes: number;
  /** Entities of blocks of types or versions unknown to the indexer; they are served only in part. */
  readonly unknownEntities: number;
  /** Why the indexer rejected the first block that votes prove nevertheless; null if there is none. */
  readonly missingRule: string | null;
  /** Height since which the computed state differs from that of the network; null while it does not. */
  readonly stateDiffersSince: number | null;
  /** Why the nodes' finalization is not accepted, so that no further block becomes final; null while it is. */
  readonly unprovenFinalization: string | null;
  /** Why the indexer cannot continue; null while it can. */
  readonly failure: string | null;
}

/** The state of the index; zeros before the first block was written. */
export async function readIndexPoint(db: Db): Promise<IndexPoint> {
  const row = await db
    .selectFrom("head")
    .leftJoin("blocks", "blocks.height", "head.height")
    .select(["head.height", "head.finalized_height", "blocks.timestamp"])
    .select((eb) =>
      eb
        .selectFrom("deferred_indexes")
        .select((inner) => inner.fn.countAll<number>().as("count"))
        .as("missing_indexes"),
    )
    .select(unknownEntitiesCount.as("unknown_entities"))
    .select(missingRuleReason.as("missing_rule"))
    .select([stateDiffersSince.as("differs_since"), indexerFailureReason.as("failure")])
    .select(unprovenFinalizationReason.as("unproven_finalization"))
    .executeTakeFirst();
  return {
    height: row?.height ?? 0,
    timestamp: row?.timestamp ?? 0,
    finalizedHeight: row?.finalized_height ?? 0,
    missingIndexes: row?.missing_indexes ?? 0,
    unknownEntities: row?.unknown_entities ?? 0,
    missingRule: row?.missing_rule ?? null,
    stateDiffersSince: row?.differs_since ?? null,
    unprovenFinalization: row?.unproven_finalization ?? null,
    failure: row?.failure ?? null,
  };
}

/** Number of entities of unknown types or versions. */
export const unknownEntitiesCount = sql<number>`(select count(*) from unknown_entities)`;

/** The newest finalized block of an epoch, or undefined. */
export async function findFinalizedBlock(db: Db, epoch: number): Promise<Finalization | undefined> {
  return db
    .selectFrom("finalized_blocks")
    .selectAll()
    .where("epoch", "=", epoch)
    .orderBy("point", "desc")
    .limit(1)
    .executeTakeFirst();
}
