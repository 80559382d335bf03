import { sql } from "kysely";
import type { StateKind } from "../../catapult/state/kind.js";
import { balanceLevel } from "../../database/balances/account-balances.js";
import type { Db } from "../../database/database.js";
import { countedLists } from "./state-lists.js";
import { stateName } from "./state-node.js";
import { spanStartOf } from "./synthetic-state.js";

interface KeptKind {
  readonly kind: StateKind;
  readonly table: string;
  readonly key: string;
  /** Ids are big-endian in the database. */
  readonly isId?: true;
}

const KEPT: readonly KeptKind[] = [
  { kind: "account", table: "accounts", key: "address" },
  { kind: "namespace", table: "namespaces", key: "level0", isId: true },
  { kind: "mosaic", table: "mosaics", key: "mosaic_id", isId: true },
  { kind: "multisig", table: "multisigs", key: "address" },
  { kind: "hashLock", table: "hash_locks", key: "hash" },
  { kind: "secretLock", table: "secret_locks", key: "composite_hash" },
  { kind: "accountRestriction", table: "account_restrictions", key: "address" },
  { kind: "mosaicRestriction", table: "mosaic_restrictions", key: "composite_hash" },
  { kind: "metadata", table: "metadata", key: "composite_hash" },
];

/** Every state value of a database, upper-case hex, by kind and key: of namespaces the roots. */
export async function storedValues(db: Db): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const { kind, table, key, isId } of KEPT) {
    const { rows } = await sql<{ key: Buffer; value: Buffer }>`
      select ${sql.ref(key)} as key, value from ${sql.table(table)} where value is not null`.execute(db);
    for (const row of rows) {
      const name = stateName(kind, isId ? Buffer.from(row.key).reverse() : row.key);
      values.set(name, row.value.toString("hex").toUpperCase());
    }
  }
  return values;
}

/** Text of a field of the REST body of a row. */
const field = (...path: string[]) => `document::json #>> '{${path.join(",")}}'`;
const hex = (column: string) => `upper(encode(${column}, 'hex'))`;
const nullable = (column: string, ...path: string[]) => `${hex(column)} is not distinct from ${field(...path)}`;
const ZERO_KEY = "0".repeat(64);

/** Rules for every row: the search columns match its REST body. */
const COLUMN_RULES: Readonly<Record<string, readonly string[]>> = {
  accounts: [
    `${hex("address")} = ${field("account", "address")}`,
    `${hex("public_key")} = ${field("account", "publicKey")}`,
    `account_type::text = ${field("account", "accountType")}`,
    nullable("linked_public_key", "account", "supplementalPublicKeys", "linked", "publicKey"),
    `importance::text = ${field("account", "importance")}`,
    `importance_height::text = ${field("account", "importanceHeight")}`,
    `(public_key = '\\x${ZERO_KEY}') = (${field("account", "publicKeyHeight")} = '0')`,
  ],
  mosaics: [
    `${hex("mosaic_id")} = ${field("mosaic", "id")}`,
    `${hex("owner_address")} = ${field("mosaic", "ownerAddress")}`,
    `supply::text = ${field("mosaic", "supply")}`,
    `start_height::text = ${field("mosaic", "startHeight")}`,
    `coalesce(end_height - start_height, 0)::text = ${field("mosaic", "duration")}`,
    `flags::text = ${field("mosaic", "flags")}`,
    `divisibility::text = ${field("mosaic", "divisibility")}`,
  ],
  namespaces: [
    `${hex("coalesce(level2, level1, level0)")} = ${hex("namespace_id")}`,
    `${hex("level0")} = ${field("namespace", "level0")}`,
    nullable("level1", "namespace", "level1"),
    nullable("level2", "namespace", "level2"),
    `registration_type::text = ${field("namespace", "registrationType")}`,
    `alias_type::text = ${field("namespace", "alias", "type")}`,
    nullable("alias_mosaic_id", "namespace", "alias", "mosaicId"),
    nullable("alias_address", "namespace", "alias", "address"),
    `${hex("owner_address")} = ${field("namespace", "ownerAddress")}`,
    `start_height::text = ${field("namespace", "startHeight")}`,
    `coalesce(end_height::text, '18446744073709551615') = ${field("namespace", "endHeight")}`,
    `(value is null) = (registration_type = 1)`,
    `exists (select from namespaces root where root.namespace_id = r.level0)`,
  ],
  multisigs: [
    `${hex("address")} = ${field("multisig", "accountAddress")}`,
    `min_approval::text = ${field("multisig", "minApproval")}`,
    `min_removal::text = ${field("multisig", "minRemoval")}`,
    `(select coalesce(string_agg(${hex("a")}, ','), '') from unnest(cosignatory_addresses) a)
      = (select coalesce(string_agg(a, ','), '') from json_array_elements_text(document::json #> '{multisig,cosignatoryAddresses}') a)`,
    `(select coalesce(string_agg(${hex("a")}, ','), '') from unnest(multisig_addresses) a)
      = (select coalesce(string_agg(a, ','), '') from json_array_elements_text(document::json #> '{multisig,multisigAddresses}') a)`,
  ],
  metadata: [
    `${hex("composite_hash")} = ${field("metadataEntry", "compositeHash")}`,
    `${hex("source_address")} = ${field("metadataEntry", "sourceAddress")}`,
    `${hex("target_address")} = ${field("metadataEntry", "targetAddress")}`,
    `${hex("scoped_metadata_key")} = ${field("metadataEntry", "scopedMetadataKey")}`,
    `${hex("target_id")} = ${field("metadataEntry", "targetId")}`,
    `metadata_type::text = ${field("metadataEntry", "metadataType")}`,
  ],
  hash_locks: [
    `${hex("hash")} = ${field("lock", "hash")}`,
    `${hex("owner_address")} = ${field("lock", "ownerAddress")}`,
    `end_height::text = ${field("lock", "endHeight")}`,
    `status::text = ${field("lock", "status")}`,
  ],
  secret_locks: [
    `${hex("composite_hash")} = ${field("lock", "compositeHash")}`,
    `${hex("owner_address")} = ${field("lock", "ownerAddress")}`,
    `${hex("recipient_address")} = ${field("lock", "recipientAddress")}`,
    `${hex("secret")} = ${field("lock", "secret")}`,
    `end_height::text = ${field("lock", "endHeight")}`,
    `status::text = ${field("lock", "status")}`,
  ],
  account_restrictions: [`${hex("address")} = ${field("accountRestrictions", "address")}`],
  mosaic_restrictions: [
    `${hex("composite_hash")} = ${field("mosaicRestrictionEntry", "compositeHash")}`,
    `${hex("mosaic_id")} = ${field("mosaicRestrictionEntry", "mosaicId")}`,
    `entry_type::text = ${field("mosaicRestrictionEntry", "entryType")}`,
    nullable("target_address", "mosaicRestrictionEntry", "targetAddress"),
  ],
};

const BALANCES_OF_DOCUMENTS = `
  select a.id, decode(m ->> 'id', 'hex') as mosaic_id, (m ->> 'amount')::numeric as amount
  from accounts a, json_array_elements(a.document::json #> '{account,mosaics}') m`;

/** The rules that some row violates, with the number of rows; empty if every column matches the REST bodies. */
export async function brokenColumns(db: Db): Promise<string[]> {
  const broken: string[] = [];
  for (const [table, rules] of Object.entries(COLUMN_RULES)) {
    for (const rule of rules) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(table)} r where (${sql.raw(rule)}) is not true`.execute(db);
      if (rows[0]?.count !== 0) broken.push(`${table}: ${rows[0]?.count} rows without ${rule}`);
    }
  }
  const { rows } = await sql<{ count: number }>`
    with told as (${sql.raw(BALANCES_OF_DOCUMENTS)}), kept as (select id, mosaic_id, amount from account_balances)
    select (select count(*) from ((table told except table kept) union all (table kept except table told)) d) as count`.execute(
    db,
  );
  if (rows[0]?.count !== 0) broken.push(`account_balances: ${rows[0]?.count} differ from the accounts`);
  return broken;
}

/**
 * Numbers of the collections of state whose counters or spans are wrong, or that count nothing at all. Wrong levels
 * of balances are reported as `NaN`.
 */
export async function wrongCounters(db: Db): Promise<{ wrong: number[]; empty: number[] }> {
  const wrong: number[] = [];
  const empty: number[] = [];
  for (const { collection, entries } of countedLists) {
    const { rows } = await sql<{ wrong: number; keys: number }>`
      with entries as (${sql.raw(entries)}),
        counted as (select key, count(*) as count from entries group by key),
        stored as (select key, count from counters where collection = ${sql.lit(collection)}),
        in_spans as (select key, ${sql.raw(spanStartOf("id"))} as start, count(*) as count from entries group by 1, 2),
        stored_spans as (select key, start, count from spans where collection = ${sql.lit(collection)})
      select (select count(*) from ((table counted except table stored) union all (table stored except table counted)) d)
          + (select count(*) from ((table in_spans except table stored_spans) union all (table stored_spans except table in_spans)) d) as wrong,
        (select count(*) from counted) as keys`.execute(db);
    if (rows[0]?.wrong !== 0) wrong.push(collection);
    if (rows[0]?.keys === 0) empty.push(collection);
  }
  if (!(await areLevelsRight(db))) wrong.push(Number.NaN);
  return { wrong, empty };
}

/** Whether levels cover all balances, and no others. */
async function areLevelsRight(db: Db): Promise<boolean> {
  const balances = await db.selectFrom("account_balances").select(["mosaic_id", "amount"]).execute();
  const counted = new Map<string, number>();
  for (const { mosaic_id, amount } of balances) {
    const name = `${mosaic_id.toString("hex")} ${balanceLevel(BigInt(amount))}`;
    counted.set(name, (counted.get(name) ?? 0) + 1);
  }
  const levels = await db.selectFrom("balance_levels").selectAll().execute();
  const stored = levels.map(({ mosaic_id, level, count }) => [`${mosaic_id.toString("hex")} ${level}`, count] as const);
  return stored.length === counted.size && stored.every(([name, count]) => counted.get(name) === count);
}

/** Collections of state among the counted ones. */
export const COUNTED_COLLECTIONS = countedLists.map(({ collection }) => collection);
