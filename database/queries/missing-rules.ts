import { type RawBuilder, sql } from "kysely";
import type { Db } from "../database.js";

/** The first block that the indexer rejected although votes prove it, and why. */
export interface MissingRule {
  readonly height: number;
  readonly reason: string;
}

/** Why the first block was rejected that votes prove, such as `block 12: stateHash …`; null if there is none. */
export const missingRuleReason: RawBuilder<string | null> = sql<string | null>`(select reason from missing_rule)`;

/** Undefined if no block was rejected that votes prove. */
export async function findMissingRule(db: Db): Promise<MissingRule | undefined> {
  return db.selectFrom("missing_rule").select(["height", "reason"]).executeTakeFirst();
}

/** Records why a block was rejected, unless an earlier one was. */
export async function writeMissingRule(db: Db, { height, reason }: MissingRule): Promise<void> {
  await db
    .insertInto("missing_rule")
    .values({ id: 1, height, reason })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Height since which the computed state differs from that of the network; null while it does not. */
export const stateDiffersSince: RawBuilder<number | null> = sql<number | null>`(
  select first_height from differing_blocks where roots is not null)`;

/** Whether any block has another state than computed. */
export async function stateEverDiffered(db: Db): Promise<boolean> {
  return (await db.selectFrom("differing_blocks").select("first_height").limit(1).executeTakeFirst()) !== undefined;
}
