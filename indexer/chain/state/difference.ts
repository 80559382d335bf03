import type { Db } from "../../../database/database.js";
import type { BlockRange } from "../step/block-range.js";
import { insertAll } from "../step/insert.js";

/** A state that differs from the network's. */
export interface StoredDifference {
  /** Height of the first block with another state hash than computed. */
  readonly since: number;
  /** Roots of the nine sub-caches as computed, 32 bytes each, concatenated; undefined if they are not known. */
  readonly roots: Buffer | undefined;
}

/** How the state after block `height` differs from the network's; undefined if it does not. */
export async function readDifference(db: Db, height: number): Promise<StoredDifference | undefined> {
  const run = await db
    .selectFrom("differing_blocks")
    .selectAll()
    .where("first_height", "<=", height)
    .where("last_height", ">=", height)
    .executeTakeFirst();
  if (!run) return undefined;
  const hasRoots = run.last_height === height && run.roots !== null && run.roots.length > 0;
  return { since: run.first_height, roots: hasRoots ? run.roots! : undefined };
}

/** Writes which of a range's blocks have another state hash than computed, and the roots as computed after the last. */
export async function writeDifference(
  trx: Db,
  { differing, difference }: Pick<BlockRange, "differing" | "difference">,
  height: number,
): Promise<void> {
  if (!difference) return;
  for (const run of groupRuns(differing)) await addRun(trx, run);
  await trx.updateTable("differing_blocks").set({ roots: null }).where("roots", "is not", null).execute();
  if (difference.since === undefined) return;
  const { roots } = difference;
  await trx.updateTable("differing_blocks").set({ roots }).where("last_height", "=", height).execute();
}

interface Run {
  readonly first: number;
  readonly last: number;
}

function groupRuns(heights: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (const height of heights) {
    const last = runs.at(-1);
    if (last?.last === height - 1) runs[runs.length - 1] = { ...last, last: height };
    else runs.push({ first: height, last: height });
  }
  return runs;
}

/** Extends the run that ends right before. */
async function addRun(trx: Db, { first, last }: Run): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable("differing_blocks")
    .set({ last_height: last })
    .where("last_height", "=", first - 1)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  await insertAll(trx, "differing_blocks", [{ first_height: first, last_height: last, roots: null }]);
}
