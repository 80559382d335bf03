import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";
import type { Db } from "../../../database/database.js";
import { readHead } from "../../../database/queries/head.js";
import { BEFORE_NEMESIS, finalizationColumns, NOTHING_FINAL } from "./chain-position.js";
import { WrongNetworkError } from "./errors.js";

/**
 * Reads the node's network, and verifies that the database belongs to the same one; an empty database adopts it, unless
 * another one is configured.
 * @param configured generation hash seed of the configured network, if any
 * @throws WrongNetworkError naming both generation hash seeds
 */
export async function agreeOnNetwork(
  db: Db,
  node: Pick<NodeClient, "nodeInfo">,
  configured?: Buffer,
): Promise<NetworkIdentity> {
  const { networkIdentifier: identifier, networkGenerationHashSeed: generationHashSeed } = await node.nodeInfo();
  if (configured && !configured.equals(generationHashSeed) && !(await readHead(db))) {
    throw new WrongNetworkError(configured, generationHashSeed, "CATAPULT_RESOURCES describes");
  }
  const network = { identifier, generationHashSeed };
  await insertHead(db, network);
  const stored = await db
    .selectFrom("head")
    .select(["network_identifier", "generation_hash_seed"])
    .executeTakeFirstOrThrow();
  if (!stored.generation_hash_seed?.equals(network.generationHashSeed)) {
    throw new WrongNetworkError(stored.generation_hash_seed, network.generationHashSeed);
  }
  return network;
}

/** Stores when the network's time begins (ms since 1970), for views of the database. */
export async function noteEpoch(db: Db, epochAdjustment: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable("head")
      .set({ epoch_adjustment: epochAdjustment, summed_height: 0 })
      .where("epoch_adjustment", "is distinct from", epochAdjustment)
      .executeTakeFirst();
    // Days begin at other times.
    if (numUpdatedRows > 0n) await trx.deleteFrom("daily_sums").execute();
  });
}

/** Creates the head row of an empty index, before the nemesis block; an existing one stays. */
export async function insertHead(db: Db, { identifier, generationHashSeed }: NetworkIdentity): Promise<void> {
  await db
    .insertInto("head")
    .values({
      id: 1,
      ...BEFORE_NEMESIS,
      score: 0n,
      ...finalizationColumns(NOTHING_FINAL),
      event_sequence: 0,
      network_identifier: identifier,
      generation_hash_seed: generationHashSeed,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
