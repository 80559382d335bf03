import { ACCOUNT_BODY, decodeAccount } from "./account.js";
import { ACCOUNT_RESTRICTIONS_BODY, decodeAccountRestriction } from "./account-restriction.js";
import type { StateKind } from "./kind.js";
import { decodeHashLock, decodeSecretLock, HASH_LOCK_BODY, SECRET_LOCK_BODY } from "./lock.js";
import { decodeMetadata, METADATA_BODY } from "./metadata.js";
import { decodeMosaic, MOSAIC_BODY } from "./mosaic.js";
import { decodeMosaicRestriction, MOSAIC_RESTRICTION_BODY } from "./mosaic-restriction.js";
import { decodeMultisig, MULTISIG_BODY } from "./multisig.js";
import { decodeNamespace } from "./namespace.js";

const DECODERS = {
  account: decodeAccount,
  namespace: decodeNamespace,
  mosaic: decodeMosaic,
  multisig: decodeMultisig,
  hashLock: decodeHashLock,
  secretLock: decodeSecretLock,
  accountRestriction: decodeAccountRestriction,
  mosaicRestriction: decodeMosaicRestriction,
  metadata: decodeMetadata,
} satisfies Record<StateKind, unknown>;

/** The decoded type of each kind of state value. */
export type StateByKind = { readonly [K in StateKind]: ReturnType<(typeof DECODERS)[K]> };

/** Decodes a state value of any kind. Throws `EntityError`, naming the field, when the bytes are invalid. */
export function decodeState<K extends StateKind>(kind: K, value: Buffer): StateByKind[K] {
  return (DECODERS[kind] as (bytes: Buffer) => StateByKind[K])(value);
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
