import { createHash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { balanceBucket } from "../../database/balances/account-balances.js";
import type { Db } from "../../database/database.js";
import { BUCKET_SIZE } from "../../database/lists/collections.js";
import { STATE_LISTS, stateEntries } from "../../indexer/check/state-lists.js";

/** The mosaic that every synthetic account has some of, and one that a tenth of them has. */
export const COMMON_MOSAIC = 1n;
export const RARE_MOSAIC = 2n;
/** Owners, signers and the like: `n` from 0 to 7, the low ones far more often than the others. */
export const PEOPLE = 8;

/** The address of the `n`-th of them. */
export function person(n: number): Buffer {
  return digest(`person ${n}`).subarray(0, 24);
}

/** The address of the `n`-th account, from 1. */
export function accountAddress(n: number): Buffer {
  return digest(`account ${n}`).subarray(0, 24);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const name = (prefix: string) => sql`sha256(convert_to(${`${prefix} `} || n, 'utf8'))`;
const some = (prefix: string, people: RawBuilder<unknown>) =>
  sql`substring(sha256(convert_to(${`${prefix} `} || ${people}, 'utf8')) for 24)`;
/** A pseudo-random number from 0 up, by row and salt; low ones are more frequent. */
const skewed = (limit: number, salt: number) =>
  sql`floor(power(abs(hashint8(n * 1000 + ${sql.lit(salt)})::float8) / 2147483648.0, 3) * ${sql.lit(limit)})::int8`;
const even = (limit: number, salt: number) => sql`abs(hashint8(n * 1000 + ${sql.lit(salt)})::int8) % ${sql.lit(limit)}`;
const id8 = (value: RawBuilder<unknown>) => sql`int8send(${value})`;
const ID = sql`decode(lpad(to_hex(n), 24, '0'), 'hex')`;
/** The value of an entry with nothing but zeros. */
const VALUE = sql`decode(repeat('00', 200), 'hex')`;
/** A seventh of all rows is missing, so that buckets are uneven, and a whole bucket too. */
const THERE = sql`hashint8(n) % 7 <> 0 and n / ${sql.lit(BUCKET_SIZE)} <> 2`;

/**
 * Fills the tables of state with synthetic rows, `rows` or a few less each, and with the counters, buckets and
 * histograms that belong to them, which are counted from the rows. Values are zeros.
 */
export async function writeSyntheticState(db: Db, rows: number): Promise<void> {
  const insert = (table: string, columns: Readonly<Record<string, RawBuilder<unknown>>>) =>
    sql`
    insert into ${sql.table(table)} (id, value, ${sql.join(Object.keys(columns).map((column) => sql.ref(column)))})
    select ${ID}, ${VALUE}, ${sql.join(Object.values(columns))}
    from generate_series(1, ${sql.lit(rows)}::int8) n where ${THERE}`.execute(db);
  const byPerson = (salt: number) => some("person", skewed(PEOPLE, salt));
  await insert("accounts", {
    address: some("account", sql`n`),
    public_key: name("key"),
    account_type: sql`0`,
    importance: sql`0`,
    importance_height: sql`0`,
    address_height: sql`1`,
  });
  await sql`
    insert into account_balances (id, mosaic_id, amount)
    select a.id, int8send(m), case when hashint8(n + 7) % 5 = 0 then 1000000 else (${even(1_000_000, 1)}) * (m + n % 1000) + 1 end
    from accounts a, lateral (select ('x' || encode(substring(a.id from 5), 'hex'))::bit(64)::int8 as n) number,
      unnest(array[${sql.lit(COMMON_MOSAIC)}, ${sql.lit(RARE_MOSAIC)}]::int8[]) m
    where m = 1 or n % 10 = 0`.execute(db);
  await insert("mosaics", {
    mosaic_id: id8(sql`n`),
    owner_address: byPerson(1),
    supply: sql`n`,
    start_height: sql`1`,
    flags: sql`0`,
    divisibility: sql`0`,
  });
  await insert("namespaces", {
    namespace_id: id8(sql`n`),
    level0: id8(sql`n - n % 10`),
    registration_type: sql`case when n % 10 = 0 then 0 else 1 end`,
    alias_type: even(3, 1),
    alias_mosaic_id: sql`case when ${even(3, 1)} = 1 then ${id8(sql`n`)} end`,
    alias_address: sql`case when ${even(3, 1)} = 2 then ${byPerson(11)} end`,
    owner_address: byPerson(2),
    start_height: sql`1`,
    earlier_end_heights: sql`'{}'::int8[]`,
  });
  await insert("metadata", {
    composite_hash: name("metadata"),
    source_address: byPerson(3),
    target_address: byPerson(4),
    scoped_metadata_key: id8(skewed(50, 5)),
    target_id: id8(skewed(50, 6)),
    metadata_type: even(3, 2),
  });
  await insert("hash_locks", {
    hash: name("hash"),
    owner_address: byPerson(5),
    mosaic_id: id8(sql`1`),
    amount: sql`n`,
    end_height: sql`n`,
    status: even(2, 3),
  });
  await insert("secret_locks", {
    composite_hash: name("secret"),
    owner_address: byPerson(6),
    mosaic_id: id8(sql`1`),
    amount: sql`n`,
    recipient_address: byPerson(7),
    secret: sql`sha256(convert_to('secret ' || ${skewed(PEOPLE, 8)}, 'utf8'))`,
    end_height: sql`n`,
    status: even(2, 4),
  });
  await insert("account_restrictions", {
    address: some("account", sql`n`),
    restriction_flags: sql`'{}'::int4[]`,
    restricted_values: sql`'{}'::bytea[]`,
  });
  await insert("mosaic_restrictions", {
    composite_hash: name("restriction"),
    mosaic_id: id8(skewed(50, 9)),
    entry_type: even(2, 5),
    target_address: sql`case when ${even(2, 5)} = 0 then ${byPerson(10)} end`,
    restriction_keys: sql`'{}'::numeric[]`,
    restriction_values: sql`'{}'::numeric[]`,
    restriction_types: sql`'{}'::int2[]`,
    reference_mosaic_ids: sql`'{}'::bytea[]`,
  });
  await db
    .insertInto("head")
    .values({
      id: 1,
      height: rows,
      hash: digest("head"),
      score: 0n,
      finalized_epoch: 1,
      finalized_point: 1,
      finalized_height: 1,
      finalized_hash: digest("finalized"),
      event_sequence: 0,
      network_identifier: 152,
      generation_hash_seed: digest("seed"),
    })
    .execute();
  await writeCounts(db);
  await sql`vacuum analyze`.execute(db);
}

/** A secret of made-up locks. */
export function secret(n: number): Buffer {
  return digest(`secret ${n}`);
}

/** Counters as the indexer would have written them. */
async function writeCounts(db: Db): Promise<void> {
  for (const lists of STATE_LISTS) {
    const { collection } = lists;
    const entries = stateEntries(lists);
    await sql`
      insert into counters (collection, key, count)
      select ${sql.lit(collection)}, key, count(*) from (${entries}) s group by key`.execute(db);
    await sql`
      insert into list_buckets (collection, key, start, count)
      select ${sql.lit(collection)}, key, ${sql.raw(bucketStartOf("id"))}, count(*) from (${entries}) s group by 2, 3`.execute(
      db,
    );
  }
  const { rows } = await sql<{ mosaic_id: Buffer; amount: string; count: number }>`
    select mosaic_id, amount, count(*) as count from account_balances group by mosaic_id, amount`.execute(db);
  const histogram = rows.map((row) => ({ ...row, bucket: balanceBucket(BigInt(row.amount)) }));
  await sql`
    insert into balance_histogram (mosaic_id, bucket, count)
    select mosaic_id, bucket, sum(count) from unnest(
      ${histogram.map((row) => row.mosaic_id)}::bytea[], ${histogram.map((row) => row.bucket)}::numeric[],
      ${histogram.map((row) => Number(row.count))}::int8[]) l (mosaic_id, bucket, count)
    group by mosaic_id, bucket`.execute(db);
}

/** The start of the bucket of an id, in SQL: computed independently. */
export function bucketStartOf(id: string): string {
  return `substring(${id} for 10) || decode(lpad(to_hex((get_byte(${id}, 10) * 256 + get_byte(${id}, 11)) / ${BUCKET_SIZE} * ${BUCKET_SIZE}), 4, '0'), 'hex')`;
}
