import { type RawBuilder, sql } from "kysely";

/** Number of checks of the indexer that votes overruled. */
export const overruledChecksCount = sql<number>`(select count(*) from overruled_checks)`;

/** Such as `block 12: Failure_Core_Past_Deadline (transaction 98…)`, the newest one; null if there is none. */
export const newestOverruledCheck: RawBuilder<string | null> = sql<string | null>`(
  select 'block ' || height || ': ' || rule ||
    coalesce(' (transaction ' || upper(encode(transaction_hash, 'hex')) || ')', '')
  from overruled_checks order by height desc limit 1)`;
