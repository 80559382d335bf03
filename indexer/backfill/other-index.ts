import { sql } from "kysely";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import type { Db } from "../../database/database.js";
import { BackfillRangeError } from "./errors.js";

/** Another database of the same network, perhaps with the schema of an earlier version: a source of blocks. */
export interface OtherIndex {
  /** PostgreSQL connection string. */
  readonly url: string;
  /** The last block that is read: an indexer that still writes there may drop those that are not final. */
  readonly upTo: "finalized" | "head";
}

/** What every version's head row has. */
export interface OtherHead {
  readonly network: NetworkIdentity;
  readonly height: number;
  readonly finalizedHeight: number;
  readonly eventSequence: number;
  /** Whether it was executed up to its head: only then votes have proven what it recorded as final. */
  readonly isExecuted: boolean;
}

/** @throws BackfillRangeError when nothing is indexed there */
export async function readOtherHead(db: Db): Promise<OtherHead> {
  const row = await db
    .selectFrom("head")
    .select(["height", "finalized_height", "event_sequence", "network_identifier", "generation_hash_seed"])
    // Earlier versions lack the column.
    .select(sql<string | null>`to_jsonb(head) ->> 'ledger_height'`.as("ledger_height"))
    .executeTakeFirst();
  if (!row?.height || row.network_identifier === null || !row.generation_hash_seed) {
    throw new BackfillRangeError("The database of --source has no blocks");
  }
  return {
    network: { identifier: row.network_identifier, generationHashSeed: row.generation_hash_seed },
    height: row.height,
    finalizedHeight: row.finalized_height,
    eventSequence: row.event_sequence,
    isExecuted: row.ledger_height === String(row.height),
  };
}
