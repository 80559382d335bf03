import { sql } from "kysely";
import type { Db } from "../database.js";

/** Why the indexer cannot continue. */
export interface IndexerFailure {
  readonly height: number | null;
  readonly reason: string;
}

export async function writeIndexerFailure(db: Db, { height, reason }: IndexerFailure): Promise<void> {
  await db
    .insertInto("indexer_failures")
    .values({ id: 1, height, reason })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ height, reason }))
    .execute();
}

export async function clearIndexerFailure(db: Db): Promise<void> {
  await db.deleteFrom("indexer_failures").execute();
}

/** Null while the indexer continues. */
export const indexerFailureReason = sql<string | null>`(select reason from indexer_failures)`;

/** Records why the nodes' finalization is not accepted; the next finalized block deletes it. */
export async function writeUnprovenFinalization(db: Db, reason: string): Promise<void> {
  await db
    .insertInto("unproven_finalization")
    .values({ id: 1, reason })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ reason }))
    .execute();
}

/** Null while finalization is proven. */
export const unprovenFinalizationReason = sql<string | null>`(select reason from unproven_finalization)`;
