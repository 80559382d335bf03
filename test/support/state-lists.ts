/** A list of state, straight from its table. */
export interface CountedStateList {
  /** The number of its collection. */
  readonly collection: number;
  /** A query that selects `key` and `id` of every entry. */
  readonly entries: string;
}

const list = (collection: number, key: string, table: string, where = "true"): CountedStateList => ({
  collection,
  entries: `select ${key} as key, id from ${table} where ${where}`,
});
const small = (column: string) => `substring(int2send(${column}) from 2)`;
const ALL = "''::bytea";

/** Every list of state that is counted. */
export const countedLists: readonly CountedStateList[] = [
  list(50, ALL, "accounts"),
  list(51, "mosaic_id", "account_balances"),
  list(52, ALL, "mosaics"),
  list(53, "owner_address", "mosaics"),
  list(54, ALL, "namespaces"),
  list(55, "owner_address", "namespaces"),
  list(56, small("registration_type"), "namespaces"),
  list(57, small("alias_type"), "namespaces"),
  list(58, ALL, "metadata"),
  list(59, "source_address", "metadata"),
  list(60, "target_address", "metadata"),
  list(61, "scoped_metadata_key", "metadata"),
  list(62, "target_id", "metadata"),
  list(63, small("metadata_type"), "metadata"),
  list(64, ALL, "hash_locks"),
  list(65, "owner_address", "hash_locks"),
  list(66, ALL, "secret_locks"),
  list(67, "owner_address", "secret_locks"),
  list(68, "secret", "secret_locks"),
  list(69, ALL, "account_restrictions"),
  list(70, ALL, "mosaic_restrictions"),
  list(71, "mosaic_id", "mosaic_restrictions"),
  list(72, small("entry_type"), "mosaic_restrictions"),
  list(73, "target_address", "mosaic_restrictions", "target_address is not null"),
];
