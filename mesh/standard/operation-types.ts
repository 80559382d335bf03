/** Operations that move balances, by what causes the movement. */
const BALANCE_OPERATIONS = [
  "transfer",
  "fee",
  "supply_change",
  "supply_revocation",
  "namespace_rental_fee",
  "mosaic_rental_fee",
  "hash_lock",
  "hash_lock_completed",
  "hash_lock_expired",
  "secret_lock",
  "secret_lock_completed",
  "secret_lock_expired",
  "harvest",
  "receipt",
] as const;

/** Operations without amounts: what else transactions do. The first two have the names that catapult-rest gives them. */
const OTHER_OPERATIONS = [
  "cosign",
  "multisig",
  "account_key_link",
  "node_key_link",
  "vrf_key_link",
  "voting_key_link",
  "namespace_registration",
  "address_alias",
  "mosaic_alias",
  "mosaic_definition",
  "account_metadata",
  "mosaic_metadata",
  "namespace_metadata",
  "account_address_restriction",
  "account_mosaic_restriction",
  "account_operation_restriction",
  "mosaic_address_restriction",
  "mosaic_global_restriction",
  "unknown",
] as const;

/** Types of operations: all that `/network/options` lists. */
export const OPERATION_TYPES = [...BALANCE_OPERATIONS, ...OTHER_OPERATIONS] as const;

export type OperationType = (typeof OPERATION_TYPES)[number];
