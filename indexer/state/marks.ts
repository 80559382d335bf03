import { sql } from "kysely";
import type { Db } from "../../database/database.js";
import { stateKindNumber, stateKindOf } from "../../database/queries/state.js";
import { DIFFERING_FIELDS, type DifferingField } from "../../database/tables/state.js";
import type { StateMarks } from "../../ledger/engine/state-marks.js";
import { insertAll } from "../step/insert.js";
import type { DifferingBlock, StateChange } from "../step/state-change.js";

/** What the index knows to differ from the network's state. */
export interface StoredMarks extends Omit<StateMarks, "roots"> {
  /** Of the state as this program computes it, if it differs; undefined if they are not known. */
  readonly roots: Buffer | undefined;
}

/**
 * Whether a row of `differing_blocks` says that the state after block `height` differs. Where it was repaired after that
 * very block, the block has roots.
 */
export function differsAfter(height: number) {
  return sql<boolean>`field = 'stateHash' and ${height} between first_height and last_height and exists (
    select from raw_blocks where height = ${height} and octet_length(sub_cache_merkle_roots) = 0)`;
}

/** The marks of the state after block `height`; undefined if there are none. */
export async function readMarks(db: Db, height: number): Promise<StoredMarks | undefined> {
  const rows = await db.selectFrom("unproven_states").selectAll().where("height", "<=", height).execute();
  const differing = await sql<{ first_height: number; roots: Buffer | null }>`
    select first_height, case when last_height = ${height} then nullif(roots, '') end as roots
    from differing_blocks where ${differsAfter(height)}`.execute(db);
  const [run] = differing.rows;
  if (rows.length === 0 && !run) return undefined;
  return {
    differsSince: run?.first_height,
    roots: run?.roots ?? undefined,
    unproven: rows.map(({ kind, position, key, leaf, height: since, changed_height }) => ({
      kind: stateKindOf(kind),
      position: position.toString("hex"),
      key: key ?? undefined,
      leaf: leaf ?? undefined,
      since,
      changedBy: changed_height === null || changed_height > height ? undefined : changed_height,
    })),
  };
}

/**
 * Writes which of a step's blocks have other hashes than computed, and which entries are unproven after it: all of
 * them, because there are few, if ever any.
 */
export async function writeMarks(
  trx: Db,
  { marks, differing, floor }: Pick<StateChange, "marks" | "differing" | "floor">,
  height: number,
): Promise<void> {
  for (const field of DIFFERING_FIELDS) {
    for (const run of runsOf(differing.filter((one) => one.field === field))) await addRun(trx, field, run);
  }
  if (!marks) return;
  const { differsSince, roots, unproven } = marks;
  await trx.updateTable("differing_blocks").set({ roots: null }).where("roots", "is not", null).execute();
  if (differsSince === undefined) {
    await sql`update raw_blocks set sub_cache_merkle_roots = ${roots}
      where height = ${height} and octet_length(sub_cache_merkle_roots) = 0`.execute(trx);
  } else {
    const newest = trx.updateTable("differing_blocks").set({ roots });
    await newest.where("field", "=", "stateHash").where("last_height", "=", height).execute();
  }
  await trx.deleteFrom("unproven_states").execute();
  // What was changed since, by blocks with the right state hash, is proven again.
  const kept = unproven.filter(({ changedBy }) => differsSince !== undefined || (changedBy ?? floor + 1) > floor);
  const rows = kept.map(({ kind, position, key, leaf, since, changedBy }) => ({
    kind: stateKindNumber(kind),
    position: Buffer.from(position, "hex"),
    key: key ?? null,
    leaf: leaf ?? null,
    height: since,
    changed_height: changedBy ?? null,
  }));
  await insertAll(trx, "unproven_states", rows);
}

interface Run {
  readonly first: number;
  readonly last: number;
}

function runsOf(blocks: readonly DifferingBlock[]): Run[] {
  const runs: Run[] = [];
  for (const { height } of blocks) {
    const last = runs.at(-1);
    if (last?.last === height - 1) runs[runs.length - 1] = { ...last, last: height };
    else runs.push({ first: height, last: height });
  }
  return runs;
}

/** Extends the run that ends right before; not one of states that ended, because the state was right in between. */
async function addRun(trx: Db, field: DifferingField, { first, last }: Run): Promise<void> {
  let extended = trx
    .updateTable("differing_blocks")
    .set({ last_height: last })
    .where("field", "=", field)
    .where("last_height", "=", first - 1);
  if (field === "stateHash") extended = extended.where("roots", "is not", null);
  const { numUpdatedRows } = await extended.executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  await insertAll(trx, "differing_blocks", [{ field, first_height: first, last_height: last, roots: null }]);
}
