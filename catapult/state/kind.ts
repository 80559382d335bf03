/**
 * The kinds of state of a node, in the order of their trees' roots under the state hash. Source: catapult's
 * `cache/CacheConstants` (block statistics and transaction hashes have no tree).
 */
export const STATE_KINDS = [
  "account",
  "namespace",
  "mosaic",
  "multisig",
  "hashLock",
  "secretLock",
  "accountRestriction",
  "mosaicRestriction",
  "metadata",
] as const;

/** A kind of state. */
export type StateKind = (typeof STATE_KINDS)[number];
