import type { StateKind } from "../../catapult/state/kind.js";
import { openDatabase } from "../../database/connection.js";
import { stateKindNumber } from "../../database/queries/state-entries.js";
import { addUpDays } from "../../indexer/chain/step/daily-sums.js";
import { withClient } from "./database.js";

/** A table of state without the ids of its rows, by `key`. */
const stateTable = (table: string, key: string, columns: string) =>
  `select ${key}, ${columns} from ${table} order by ${key}`;

/**
 * What two indexes of the same chain have in common, however they were created: everything but events.
 *
 * Rows of state are numbered in the order of arrival, and those that a fork removes leave a gap: so ids of state
 * are not compared, nor their buckets.
 */
const COMPARED = {
  head: "select height, hash, score, finalized_epoch, finalized_point, finalized_height, finalized_hash, network_identifier, generation_hash_seed from head",
  raw_blocks: "select * from raw_blocks order by height",
  blocks: "select * from blocks order by height",
  transactions: "select * from transactions order by id",
  keys: "select * from keys order by id",
  transaction_addresses: "select * from transaction_addresses order by account, id",
  transaction_mosaics: "select * from transaction_mosaics order by mosaic, id",
  transaction_statements: "select * from transaction_statements order by id",
  receipts: "select * from receipts order by statement_id, type, sender, recipient, target, artifact, amount",
  address_resolution_statements: "select * from address_resolution_statements order by id",
  mosaic_resolution_statements: "select * from mosaic_resolution_statements order by id",
  balance_changes: "select * from balance_changes order by mosaic, account, height",
  balance_histogram: "select * from balance_histogram order by mosaic_id, bucket",
  unknown_entities: "select * from unknown_entities order by id, place",
  missing_rule: "select * from missing_rule",
  differing_blocks: "select * from differing_blocks order by first_height",
  counters: "select * from counters order by collection, key",
  list_counters: "select * from list_counters order by list",
  skip_pointers: "select * from skip_pointers order by list, ordinal",
  daily_sums: "select * from daily_sums order by measure, mosaic, day, key",
  accounts: stateTable(
    "accounts",
    "address",
    "address_height, public_key, account_type, linked_public_key, importance, importance_height, value",
  ),
  account_balances:
    "select a.address, b.mosaic_id, b.amount from account_balances b left join accounts a on a.id = b.id order by a.address, b.mosaic_id",
  mosaics: stateTable(
    "mosaics",
    "mosaic_id",
    "owner_address, supply, start_height, end_height, flags, divisibility, value",
  ),
  namespaces: stateTable(
    "namespaces",
    "namespace_id",
    "level0, level1, level2, registration_type, alias_type, alias_mosaic_id, alias_address, owner_address, start_height, end_height, earlier_end_heights, value",
  ),
  namespace_registrations: "select * from namespace_registrations order by id",
  multisigs: stateTable(
    "multisigs",
    "address",
    "min_approval, min_removal, cosignatory_addresses, multisig_addresses, value",
  ),
  metadata: stateTable(
    "metadata",
    "composite_hash",
    "source_address, target_address, scoped_metadata_key, target_id, metadata_type, value",
  ),
  hash_locks: stateTable("hash_locks", "hash", "owner_address, mosaic_id, amount, end_height, status, value"),
  secret_locks: stateTable(
    "secret_locks",
    "composite_hash",
    "owner_address, mosaic_id, amount, recipient_address, secret, end_height, status, value",
  ),
  account_restrictions: stateTable("account_restrictions", "address", "restriction_flags, restricted_values, value"),
  mosaic_restrictions: stateTable(
    "mosaic_restrictions",
    "composite_hash",
    "mosaic_id, entry_type, target_address, restriction_keys, restriction_values, restriction_types, reference_mosaic_ids, value",
  ),
  newest_finalized_block: "select * from finalized_blocks order by epoch desc, point desc limit 1",
} as const;

/** Kinds of state that end, and their tables with the keys of `replaced_states`. */
const ENDING = {
  namespace:
    "(select string_agg(substring(namespace_id from i for 1), '' order by i desc) from generate_series(1, 8) i) as key, end_height from namespaces",
  hashLock: "hash as key, end_height from hash_locks",
  secretLock: "composite_hash as key, end_height from secret_locks",
} as const;
const ENDING_KINDS = Object.keys(ENDING).map((kind) => stateKindNumber(kind as StateKind));
/** Kinds and keys of those that have not ended. */
const LIVE_KEYS = Object.values(ENDING)
  .map(
    (columns, place) => `select ${ENDING_KINDS[place]}, key from (select ${columns}) e
    where end_height is null or end_height > (select height from head)`,
  )
  .join(" union all ");

/** The same with what execution needs besides rows: equal in two indexes that executed the same chain. */
export const COMPARED_IF_EXECUTED: Readonly<Record<string, string>> = {
  ...COMPARED,
  hidden_states: "select * from hidden_states order by kind, key",
  histories: "select address, history from accounts order by address",
  voting_sets: "select * from voting_sets order by epoch",
  // When a block replaces a lock or a namespace that had ended, one index may have removed it before, and another one not:
  // that depends on when each learnt what is final. Going back to either is the same.
  replaced_states: `select * from replaced_states
    where height > (select finalized_height from head)
      and (kind not in (${ENDING_KINDS.join(", ")}) or value is not null and (kind, key) in (${LIVE_KEYS}))
    order by height, kind, key`,
};

/** Rows of each compared table as text; equal texts are equal tables. */
export async function readTables(
  url: string,
  compared: Readonly<Record<string, string>> = COMPARED,
): Promise<Record<string, string[]>> {
  return withClient(url, async (client) => {
    const tables: Record<string, string[]> = {};
    for (const [name, query] of Object.entries(compared)) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from (${query}) t`);
      tables[name] = rows.map(({ row }) => row);
    }
    return tables;
  });
}

/** The number of rows of each compared table and a sum of their hashes: to read all of them would take much longer. */
async function digests(url: string, compared: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const digest = "count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0)";
  const tables = Object.entries(compared).map(
    ([name, query]) => `select '${name}' as name, ${digest} as digest from (${query}) t`,
  );
  const { rows } = await withClient(url, (client) =>
    client.query<{ name: string; digest: string }>(tables.join(" union all ")),
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** The first difference of each table that differs, in words; empty when the databases hold the same chain. */
export async function differences(
  leftUrl: string,
  rightUrl: string,
  compared: Readonly<Record<string, string>> = COMPARED,
): Promise<string[]> {
  // One after the other: it may be the same one.
  await addUp(leftUrl);
  await addUp(rightUrl);
  const [ours, theirs] = await Promise.all([digests(leftUrl, compared), digests(rightUrl, compared)]);
  const different = Object.fromEntries(Object.entries(compared).filter(([name]) => ours[name] !== theirs[name]));
  const [left, right] = await Promise.all([readTables(leftUrl, different), readTables(rightUrl, different)]);
  return Object.keys(different).flatMap((name) => {
    const ours = left[name] ?? [];
    const theirs = right[name] ?? [];
    const at = Math.max(ours.length, theirs.length);
    for (let i = 0; i < at; i++) {
      if (ours[i] !== theirs[i]) {
        return [`${name} row ${i} of ${ours.length}/${theirs.length}: ${brief(ours[i])} ≠ ${brief(theirs[i])}`];
      }
    }
    return [];
  });
}

/** An indexer adds up days after the step by which they are final: one that was stopped in between has not. */
async function addUp(url: string): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, onError: () => undefined });
  await addUpDays(db).finally(() => db.destroy());
}

function brief(row: string | undefined): string {
  return row === undefined ? "(none)" : row.slice(0, 300);
}
