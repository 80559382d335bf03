import type { Selectable } from "kysely";
import type { Db } from "../../../database/database.js";
import type { Finalization } from "../../../database/queries/head.js";
import type { HeadTable } from "../../../database/tables/chain.js";
import { isNewer } from "../finality/finality.js";
import { type ChainPosition, finalizationColumns } from "../step/chain-position.js";
import { HeadMovedError } from "../step/errors.js";

/**
 * Locks the head row until the transaction ends.
 * @returns the row as it is now
 * @throws HeadMovedError unless it is at `previous`
 */
export async function lockHead(trx: Db, previous: ChainPosition): Promise<Selectable<HeadTable>> {
  const head = await trx.selectFrom("head").selectAll().forUpdate().executeTakeFirst();
  if (!head) throw new HeadMovedError("The head row is missing");
  if (head.height !== previous.height || !head.hash.equals(previous.hash)) {
    throw new HeadMovedError(
      `The head row is at ${head.height} (${head.hash.toString("hex")}), not at ${previous.height} (${previous.hash.toString("hex")})`,
    );
  }
  return head;
}

/**
 * Records finalized blocks, in the transaction that holds the lock of the head row: those that are newer than the head
 * row's, which moves to the last of them. The lowest first.
 * @returns the new finalized block of the head row; undefined if there is nothing newer
 * @throws HeadMovedError unless the index has each block with that hash
 */
export async function moveFinalization(
  trx: Db,
  known: Finalization,
  finalizations: readonly Finalization[],
): Promise<Finalization | undefined> {
  let newest: Finalization | undefined;
  for (const next of finalizations) {
    if (!isNewer(next, newest ?? known)) continue;
    await recordFinalization(trx, next);
    newest = next;
  }
  if (!newest) return undefined;
  await trx.updateTable("head").set(finalizationColumns(newest)).executeTakeFirstOrThrow();
  await trx.deleteFrom("unproven_finalization").execute();
  return newest;
}

async function recordFinalization(trx: Db, { epoch, point, height, hash }: Finalization): Promise<void> {
  const block = await trx.selectFrom("blocks").select("hash").where("height", "=", height).executeTakeFirst();
  if (!block?.hash.equals(hash)) {
    throw new HeadMovedError(`Block ${height}, which the node claims to be final, is not in the index with that hash`);
  }
  await trx
    .insertInto("finalized_blocks")
    .values({ epoch, point, height, hash })
    .onConflict((conflict) => conflict.columns(["epoch", "point"]).doUpdateSet({ height, hash }))
    .execute();
}
