import { sql } from "kysely";
import type { Db } from "../database.js";

/** A block was added to the index, or removed from it by a rollback. */
export interface BlockEvent {
  /** From 0, without gaps: rises by one with each block that is added or removed. */
  readonly sequence: number;
  readonly height: number;
  readonly hash: Buffer;
  readonly isRemoval: boolean;
}

/**
 * Records the blocks above `keptHeight` as removed, before their rows are deleted, while the head row still has the
 * height of the newest. Only removals are stored: all other numbers belong to additions (see {@link readBlockEvents}).
 */
export async function addDroppedBlocks(trx: Db, keptHeight: number): Promise<void> {
  await sql`
    insert into dropped_blocks (sequence, height, hash)
    select (select height from head) + 2 * (select count(*) from dropped_blocks)
      + row_number() over (order by height desc) - 1, height, hash
    from blocks where height > ${keptHeight}::int8`.execute(trx);
}

/** Sequence of the newest event; undefined before the first block. Each removed block was also added. */
export async function newestBlockEvent(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ newest: number }>`
    select height + 2 * (select count(*) from dropped_blocks) - 1 as newest from head where height > 0`.execute(db);
  return rows[0]?.newest;
}

interface Removal {
  readonly sequence: number;
  readonly height: number;
  readonly hash: Buffer;
}

/** Events from one sequence to another, inclusive; both exist. Reads several statements: from one snapshot. */
export async function readBlockEvents(db: Db, from: number, to: number): Promise<BlockEvent[]> {
  const removals = await db
    .selectFrom("dropped_blocks")
    .selectAll()
    .where("sequence", ">=", from)
    .where("sequence", "<=", to)
    .execute();
  const { count } = await db
    .selectFrom("dropped_blocks")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("sequence", "<", from)
    .executeTakeFirstOrThrow();
  const events = numbered(from, to, Number(count), removals);
  const added = events.filter((one) => !one.isRemoval);
  const hashes = await hashesOfAdded(db, added);
  return events.map((one) => ({ ...one, hash: one.hash ?? hashes.get(one.sequence)! }));
}

/** A number that no removal has belongs to an addition: its height is that of the removals and additions before it. */
function numbered(from: number, to: number, removedBefore: number, removals: readonly Removal[]) {
  const bySequence = new Map(removals.map((one) => [one.sequence, one]));
  const events: (Omit<BlockEvent, "hash"> & { readonly hash: Buffer | undefined })[] = [];
  let removed = removedBefore;
  for (let sequence = from; sequence <= to; sequence += 1) {
    const removal = bySequence.get(sequence);
    if (removal) removed += 1;
    const height = removal?.height ?? sequence + 1 - 2 * removed;
    events.push({ sequence, height, hash: removal?.hash, isRemoval: removal !== undefined });
  }
  return events;
}

/** An added block is the one that was removed next from its height, or is still there. */
async function hashesOfAdded(
  db: Db,
  added: readonly { readonly sequence: number; readonly height: number }[],
): Promise<Map<number, Buffer>> {
  const { rows } = await sql<{ sequence: number; hash: Buffer }>`
    select a.sequence, coalesce(
      (select d.hash from dropped_blocks d
        where d.height = a.height and d.sequence > a.sequence order by d.sequence limit 1),
      (select b.hash from blocks b where b.height = a.height)) as hash
    from unnest(
      ${added.map(({ sequence }) => sequence)}::int8[],
      ${added.map(({ height }) => height)}::int8[]) a (sequence, height)`.execute(db);
  return new Map(rows.map(({ sequence, hash }) => [Number(sequence), hash]));
}
