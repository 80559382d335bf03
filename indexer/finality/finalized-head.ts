import { type Insertable, sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../../database/database.js";
import type { Finalization } from "../../database/queries/head.js";
import type { HeadTable } from "../../database/tables/chain.js";
import { HeadMovedError } from "../step/errors.js";
import { BEFORE_NEMESIS } from "../step/step.js";
import { isNewer } from "./finality.js";

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
  await trx.updateTable("head").set(headColumns(newest)).executeTakeFirstOrThrow();
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

/** The newest recorded finalized block at or below a height, unless the head row has it already. */
export async function recordedFinalization(trx: Db, height: number): Promise<Finalization | undefined> {
  const { rows } = await sql<Finalization>`
    select f.epoch, f.point, f.height, f.hash
    from head h, lateral (
      select epoch, point, height, hash from finalized_blocks
      where height <= ${height} order by epoch desc, point desc limit 1) f
    where (f.epoch, f.point) > (h.finalized_epoch, h.finalized_point)`.execute(trx);
  return rows[0];
}

/** Moves the head row's finalization back to the newest recorded one at or below a height: the index is rebuilt. */
export async function restartFinalization(trx: Db, height: number): Promise<void> {
  await trx.updateTable("head").set(headColumns(NOTHING_FINAL)).execute();
  const finalization = await recordedFinalization(trx, height);
  if (finalization) await trx.updateTable("head").set(headColumns(finalization)).execute();
}

/**
 * Deletes finalization recorded by an index that did not execute its blocks: it was claimed by a node, and not proven
 * by votes.
 */
export async function forgetUnprovenFinalization(db: Db, log: Logger): Promise<void> {
  const { numDeletedRows } = await db.deleteFrom("finalized_blocks").executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return;
  log.warn(
    { blocks: Number(numDeletedRows) },
    "Finalization was recorded without proof; nothing is final until votes prove it to the indexer",
  );
}

const NOTHING_FINAL: Finalization = { epoch: 0, point: 0, ...BEFORE_NEMESIS };

function headColumns({ epoch, point, height, hash }: Finalization) {
  return {
    finalized_epoch: epoch,
    finalized_point: point,
    finalized_height: height,
    finalized_hash: hash,
  } satisfies Partial<Insertable<HeadTable>>;
}
