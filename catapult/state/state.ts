import { ACCOUNT_CODEC } from "./account.js";
import { ACCOUNT_RESTRICTIONS_CODEC } from "./account-restriction.js";
import type { StateKind } from "./kind.js";
import { HASH_LOCK_CODEC, SECRET_LOCK_CODEC } from "./lock.js";
import { METADATA_CODEC } from "./metadata.js";
import { MOSAIC_CODEC } from "./mosaic.js";
import { MOSAIC_RESTRICTION_CODEC } from "./mosaic-restriction.js";
import { MULTISIG_CODEC } from "./multisig.js";
import { NAMESPACE_CODEC } from "./namespace.js";
import type { StateCodec } from "./state-codec.js";

const CODECS = {
  account: ACCOUNT_CODEC,
  namespace: NAMESPACE_CODEC,
  mosaic: MOSAIC_CODEC,
  multisig: MULTISIG_CODEC,
  hashLock: HASH_LOCK_CODEC,
  secretLock: SECRET_LOCK_CODEC,
  accountRestriction: ACCOUNT_RESTRICTIONS_CODEC,
  mosaicRestriction: MOSAIC_RESTRICTION_CODEC,
  metadata: METADATA_CODEC,
} satisfies Record<StateKind, unknown>;

/** The decoded type of each kind of state value. */
export type StateByKind = {
  readonly [K in StateKind]: (typeof CODECS)[K] extends StateCodec<infer State> ? State : never;
};

const codecOf = <K extends StateKind>(kind: K) => CODECS[kind] as StateCodec<unknown> as StateCodec<StateByKind[K]>;

/** Decodes a state value of any kind. Throws `EntityError`, naming the field, when the bytes are invalid. */
export function decodeState<K extends StateKind>(kind: K, value: Buffer): StateByKind[K] {
  return codecOf(kind).decode(value);
}

/** The state value in bytes, as a node has them: their hash is in the state tree. */
export function encodeState<K extends StateKind>(kind: K, state: StateByKind[K]): Buffer {
  return codecOf(kind).encode(state);
}
