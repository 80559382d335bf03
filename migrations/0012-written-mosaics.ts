import { type Kysely, type RawBuilder, sql } from "kysely";

/** Lists of transfers by mosaic: those in blocks themselves, and all. */
const [TOP, ALL] = [22, 23];
const MILESTONE_STEP = 128;
/** The advisory lock that a writing indexer holds: an older version would continue to write the old keys. */
const WRITER_LOCK = 7_300_190_055;

/**
 * Transfers that name a mosaic by an alias only get a key of their own: the mosaic's id followed by a byte. So transfers
 * that have the very id can be listed without them.
 * Frozen: a later change is a later migration.
 * @throws Error while an indexer or a backfill writes
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows: locks } = await sql<{
    taken: boolean;
  }>`select pg_try_advisory_xact_lock(${WRITER_LOCK}) as taken`.execute(db);
  if (!locks[0]?.taken) throw new Error("an indexer or a backfill writes to this database: stop it first");
  const { rows } = await sql<{ mosaic_id: Buffer }>`
    with aliases as (
      select distinct r.unresolved, decode(entry ->> 'resolved', 'hex') as resolved
      from mosaic_resolution_statements r,
        json_array_elements(r.document::json -> 'statement' -> 'resolutionEntries') entry),
    moved as (
      update transaction_mosaics m set mosaic_id = m.mosaic_id || '\\x01'::bytea
      from aliases a join transaction_mosaics w on w.mosaic_id = a.unresolved
      where m.mosaic_id = a.resolved and m.id = w.id and a.resolved <> a.unresolved
        and not exists (
          select from transactions t
          where t.id = m.id and t.document like '%"id":"' || upper(encode(a.resolved, 'hex')) || '"%')
      returning m.mosaic_id)
    select distinct mosaic_id from moved`.execute(db);
  await recount(
    db,
    rows.flatMap(({ mosaic_id }) => [mosaic_id, mosaic_id.subarray(0, 8)]),
  );
}

/** Counts the lists of these keys anew, and notes their milestones. */
async function recount(db: Kysely<unknown>, keys: readonly Buffer[]): Promise<void> {
  if (keys.length === 0) return;
  const among = (column: string): RawBuilder<unknown> => sql`${sql.ref(column)} = any(${[...keys]}::bytea[])`;
  for (const table of ["counters", "milestones"]) {
    await sql`delete from ${sql.table(table)} where collection in (${TOP}, ${ALL}) and ${among("key")}`.execute(db);
  }
  const entries = sql`
    select ${sql.lit(ALL)} as collection, mosaic_id as key, id from transaction_mosaics where ${among("mosaic_id")}
    union all
    select ${sql.lit(TOP)}, mosaic_id, id from transaction_mosaics where ${among("mosaic_id")} and not embedded`;
  await sql`
    insert into counters (collection, key, count)
    select collection, key, count(*) from (${entries}) e group by collection, key`.execute(db);
  await sql`
    insert into milestones (collection, key, ordinal, id)
    select collection, key, ordinal, id from (
      select collection, key, id, row_number() over (partition by collection, key order by id) as ordinal
      from (${entries}) e
    ) numbered
    where ordinal % ${sql.lit(MILESTONE_STEP)} = 0`.execute(db);
}
