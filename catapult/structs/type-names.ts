/*
 * The names of types, which every interface but REST shows in place of their numbers: GraphQL, SQL, CSV, Mesh and the
 * explorer. Those of transactions are the names of the field's schemas (catbuffer) in small letters.
 */

/** The types of blocks. */
export const BLOCK_TYPE = { nemesis: 0x8043, normal: 0x8143, importance: 0x8243 } as const;

/** The types of transactions. Source: catbuffer `transaction_type.cats`. */
export const TRANSACTION_TYPE = {
  account_key_link: 0x414c,
  node_key_link: 0x424c,
  vrf_key_link: 0x4243,
  voting_key_link: 0x4143,
  aggregate_complete: 0x4141,
  aggregate_bonded: 0x4241,
  hash_lock: 0x4148,
  secret_lock: 0x4152,
  secret_proof: 0x4252,
  account_metadata: 0x4144,
  mosaic_metadata: 0x4244,
  namespace_metadata: 0x4344,
  mosaic_definition: 0x414d,
  mosaic_supply_change: 0x424d,
  mosaic_supply_revocation: 0x434d,
  multisig_account_modification: 0x4155,
  address_alias: 0x424e,
  mosaic_alias: 0x434e,
  namespace_registration: 0x414e,
  account_address_restriction: 0x4150,
  account_mosaic_restriction: 0x4250,
  account_operation_restriction: 0x4350,
  mosaic_address_restriction: 0x4251,
  mosaic_global_restriction: 0x4151,
  transfer: 0x4154,
} as const;

/** The name of a known type of transactions. */
export type TransactionKind = keyof typeof TRANSACTION_TYPE;

/** The types of receipts in statements. Source: catbuffer `receipt_type.cats`. */
export const RECEIPT_TYPE = {
  mosaic_rental_fee: 0x124d,
  namespace_rental_fee: 0x134e,
  harvest_fee: 0x2143,
  hash_lock_completed: 0x2248,
  hash_lock_expired: 0x2348,
  secret_lock_completed: 0x2252,
  secret_lock_expired: 0x2352,
  hash_lock_created: 0x3148,
  secret_lock_created: 0x3152,
  mosaic_expired: 0x414d,
  namespace_expired: 0x414e,
  namespace_deleted: 0x424e,
  inflation: 0x5143,
} as const;

const invertNames = (types: Readonly<Record<string, number>>): ReadonlyMap<number, string> =>
  new Map(Object.entries(types).map(([name, type]) => [type, name]));

const TRANSACTION_NAMES = invertNames(TRANSACTION_TYPE);
const RECEIPT_NAMES = invertNames(RECEIPT_TYPE);

/** The name of a type of transactions; its number if it is unknown. */
export const transactionTypeName = (type: number): string => TRANSACTION_NAMES.get(type) ?? String(type);

/** The name of a type of receipts; its number if it is unknown. */
export const receiptTypeName = (type: number): string => RECEIPT_NAMES.get(type) ?? String(type);

/** Whether this program knows a type of transactions. */
export const isKnownTransactionType = (type: number): boolean => TRANSACTION_NAMES.has(type);

/** Whether a transaction type is one of the two aggregates. */
export function isAggregateType(type: number): boolean {
  return type === TRANSACTION_TYPE.aggregate_complete || type === TRANSACTION_TYPE.aggregate_bonded;
}
