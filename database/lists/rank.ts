import { sql } from "kysely";
import type { IdForm } from "../bodies/id-form.js";
import type { Sql } from "../tables/embedded-flag.js";
import { SKIP_POINTER_STEP } from "./collections.js";
import type { ChainList, CountedList, StateEntries } from "./list.js";

/*
 * A rank is the number of entries of a list below an id. It is found by the skip pointer (or the start of a bucket) at
 * or below the id, and by counting the few entries in between over the index. Ranks of disjoint lists add up.
 * Everything here is a fragment of SQL.
 */

/** An inclusive lower and an exclusive upper bound of stored ids: expressions. */
export interface Bounds {
  readonly low?: Sql | undefined;
  readonly high?: Sql | undefined;
}

/** Entries of all lists within bounds. */
export function totalOf(lists: readonly CountedList[], form: IdForm, { low, high }: Bounds): Sql {
  const upper = high ? rankBefore(lists, form, high) : sum(lists.map(counter));
  if (!low) return high ? sql`greatest(0, ${upper})` : upper;
  return sql`greatest(0, ${upper} - ${rankBefore(lists, form, low)})`;
}

/** Entries below `id`, an expression of a stored id. */
export function rankBefore(lists: readonly CountedList[], form: IdForm, id: Sql): Sql {
  return sum(lists.map((list) => listRankBefore(list, form, id)));
}

/**
 * Common table expressions that end in `anchor (id, before)`: an id, and the number of entries below it, slightly
 * fewer than `wanted.first`. For one list it is a skip pointer. For several, a binary search over heights finds where
 * the skip pointers of all lists add up to just under `first`: the true rank there is at most (SKIP_POINTER_STEP - 1)
 * higher per list, so that much room is left.
 */
export function skipPointerBefore(lists: readonly CountedList[], form: IdForm): Sql {
  const [first] = lists;
  if (first?.hasBuckets) return bucketBefore(first, form);
  const chain = lists.filter((list): list is ChainList => !list.hasBuckets);
  const [only, ...others] = chain;
  if (only && others.length === 0) {
    return sql`skip_pointer as materialized (
        select ordinal, id from skip_pointers
        where list = ${only.list} and ordinal <= (select first from wanted)
        order by ordinal desc limit 1),
      anchor as materialized (
        select coalesce((select id from skip_pointer), ${form.lowest}) as id,
          coalesce((select ordinal - 1 from skip_pointer), 0) as before)`;
  }
  const room = (SKIP_POINTER_STEP - 1) * lists.length;
  const skipPointers = sum(chain.map((list) => skipPointerOrdinal(list, idOfHeight(sql`middle`))));
  return sql`halves (low, high) as (
        select 0::int8, (select height + 1 from head)
        union all
        select case when below then middle else low end, case when below then high else middle end
        from (select low, high, middle, ${skipPointers} + ${sql.lit(room)} < (select first from wanted) as below
              from (select low, high, (low + high) / 2 as middle from halves where high - low > 1) h) t),
      anchor_id as materialized (select ${idOfHeight(sql`max(low)`)} as id from halves),
      anchor as materialized (select a.id, ${rankBefore(lists, form, sql`a.id`)} as before from anchor_id a)`;
}

/** The same for a list with buckets: the bucket that contains the entry `wanted.first`. */
function bucketBefore({ collection, key }: StateEntries, form: IdForm): Sql {
  return sql`anchor as materialized (
      select coalesce(s.start, ${form.lowest}) as id, coalesce(s.before, 0) as before
      from (select 1) one
      left join lateral (
        select start, before
        from (
          select start, sum(count) over (order by start) - count as before
          from list_buckets where collection = ${collection} and key = ${key}) p
        where before < (select first from wanted) order by start desc limit 1) s on true)`;
}

function counter(list: CountedList): Sql {
  return list.hasBuckets
    ? sql`coalesce((select count from counters where collection = ${list.collection} and key = ${list.key}), 0)`
    : sql`coalesce((select count from list_counters where list = ${list.list}), 0)`;
}

function listRankBefore(list: CountedList, form: IdForm, id: Sql): Sql {
  const { ids } = list;
  if (list.hasBuckets) {
    const { collection, key } = list;
    return sql`(
      select coalesce(s.before, 0)
        + (select count(*) from (${ids}) r where r.id >= coalesce(s.start, ${form.lowest}) and r.id < ${id})
      from (
        select p.start, (
          select sum(count) from list_buckets
          where collection = ${collection} and key = ${key} and start < p.start) as before
        from (select 1) one
        left join lateral (
          select start from list_buckets
          where collection = ${collection} and key = ${key} and start <= ${id} order by start desc limit 1) p on true) s)`;
  }
  return sql`(
    select coalesce(m.ordinal - 1, 0)
      + (select count(*) from (${ids}) r where r.id >= coalesce(m.id, ${form.lowest}) and r.id < ${id})
    from (select 1) one
    left join lateral (
      select ordinal, id from skip_pointers
      where list = ${list.list} and id <= ${id} order by id desc limit 1) m on true)`;
}

function skipPointerOrdinal({ list }: ChainList, id: Sql): Sql {
  return sql`coalesce((
    select ordinal from skip_pointers where list = ${list} and id < ${id} order by id desc limit 1), 0)`;
}

/** The lowest id of a height, for lists of entities. */
function idOfHeight(height: Sql): Sql {
  return sql`(${height} << 32)`;
}

function sum(terms: readonly Sql[]): Sql {
  return sql`(${sql.join(terms, sql` + `)})`;
}
