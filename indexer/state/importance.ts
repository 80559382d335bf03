import { sql } from "kysely";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { StateKey } from "../../catapult/state/key.js";
import { type HarvestingRules, isImportanceBlock } from "../../catapult/state/touched.js";
import type { Db } from "../../database/database.js";
import { idKey } from "../../database/lists/collections.js";

/**
 * The accounts that an importance block changes although they are not in it: those that have an importance, or enough
 * to get one. Queried before the block is written; pending keys need not be included. If the network's rules are
 * unknown, these are all accounts.
 */
export async function importanceKeys(db: Db, rules: HarvestingRules | undefined): Promise<StateKey[]> {
  const { rows } = rules
    ? await sql<{ address: Buffer }>`
        select address from accounts where importance_height > 0
        union
        select a.address from account_balances b join accounts a on a.id = b.id
        where b.mosaic_id = ${idKey(rules.harvestingMosaicId)} and b.amount >= ${rules.minHarvesterBalance}`.execute(db)
    : await sql<{ address: Buffer }>`select address from accounts`.execute(db);
  return rows.map(({ address }) => ({ kind: "account", key: address }));
}

/**
 * The accounts that change when importance blocks are rolled back, the lowest of them at `height`: those that were
 * read since, because each of them was or may have been changed by such a block.
 */
export async function keysReadSince(db: Db, height: number): Promise<StateKey[]> {
  const rows = await db.selectFrom("accounts").select("address").where("read_height", ">=", height).execute();
  return rows.map(({ address }) => ({ kind: "account", key: address }));
}

/** The lowest importance block among `blocks`, or undefined. */
export function lowestImportanceHeight(blocks: readonly VerifiedBlock[]): number | undefined {
  return blocks.find(isImportanceBlock)?.height;
}
