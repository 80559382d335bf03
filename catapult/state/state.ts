import { ACCOUNT_BODY, ACCOUNT_CODEC } from "./account.js";
import { ACCOUNT_RESTRICTIONS_BODY, ACCOUNT_RESTRICTIONS_CODEC } from "./account-restriction.js";
import type { StateKind } from "./kind.js";
import { HASH_LOCK_BODY, HASH_LOCK_CODEC, SECRET_LOCK_BODY, SECRET_LOCK_CODEC } from "./lock.js";
import { METADATA_BODY, METADATA_CODEC } from "./metadata.js";
import { MOSAIC_BODY, MOSAIC_CODEC } from "./mosaic.js";
import { MOSAIC_RESTRICTION_BODY, MOSAIC_RESTRICTION_CODEC } from "./mosaic-restriction.js";
import { MULTISIG_BODY, MULTISIG_CODEC } from "./multisig.js";
import { NAMESPACE_CODEC } from "./namespace.js";
import type { Codec } from "./noun.js";

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
  readonly [K in StateKind]: (typeof CODECS)[K] extends Codec<infer State> ? State : never;
};

const codecOf = <K extends StateKind>(kind: K) => CODECS[kind] as unknown as Codec<StateByKind[K]>;

/** Decodes a state value of any kind. Throws `EntityError`, naming the field, when the bytes are invalid. */
export function decodeState<K extends StateKind>(kind: K, value: Buffer): StateByKind[K] {
  return codecOf(kind).decode(value);
}

/** The state value in bytes, as a node has them: their hash is in the state tree. */
export function encodeState<K extends StateKind>(kind: K, state: StateByKind[K]): Buffer {
  return codecOf(kind).encode(state);
}

/** The kinds of state with one body for each value; a root namespace has one for each of its namespaces. */
export type KindWithBody = Exclude<StateKind, "namespace">;

const BODIES: { readonly [K in KindWithBody]: { render(state: StateByKind[K], values: object): string } } = {
  account: ACCOUNT_BODY,
  mosaic: MOSAIC_BODY,
  multisig: MULTISIG_BODY,
  hashLock: HASH_LOCK_BODY,
  secretLock: SECRET_LOCK_BODY,
  accountRestriction: ACCOUNT_RESTRICTIONS_BODY,
  mosaicRestriction: MOSAIC_RESTRICTION_BODY,
  metadata: METADATA_BODY,
};

/** In catapult-rest their bodies have no id. */
const WITHOUT_ID: readonly StateKind[] = ["multisig", "accountRestriction"];

/** The REST body of a state value; `id` is 24 hex digits. */
export function renderState<K extends KindWithBody>(kind: K, state: StateByKind[K], id: string): string {
  return BODIES[kind].render(state, WITHOUT_ID.includes(kind) ? {} : { id });
}
