import { EntityError } from "../entity/entity-error.js";
import { type AccountState, decodeAccount } from "./account.js";
import { type AccountRestrictionState, decodeAccountRestriction } from "./account-restriction.js";
import { decodeHashLock, type HashLockState } from "./hash-lock.js";
import type { StateKind } from "./kind.js";
import { decodeMetadata, type MetadataState } from "./metadata.js";
import { decodeMosaic, type MosaicState } from "./mosaic.js";
import { decodeMosaicRestriction, type MosaicRestrictionState } from "./mosaic-restriction.js";
import { decodeMultisig, type MultisigState } from "./multisig.js";
import { decodeNamespace, type NamespaceState } from "./namespace.js";
import { decodeSecretLock, type SecretLockState } from "./secret-lock.js";

/** The decoded type of each kind of state value. */
export interface StateByKind {
  readonly account: AccountState;
  readonly namespace: NamespaceState;
  readonly mosaic: MosaicState;
  readonly multisig: MultisigState;
  readonly hashLock: HashLockState;
  readonly secretLock: SecretLockState;
  readonly accountRestriction: AccountRestrictionState;
  readonly mosaicRestriction: MosaicRestrictionState;
  readonly metadata: MetadataState;
}

const DECODERS: { readonly [K in StateKind]: (value: Buffer) => StateByKind[K] } = {
  account: decodeAccount,
  namespace: decodeNamespace,
  mosaic: decodeMosaic,
  multisig: decodeMultisig,
  hashLock: decodeHashLock,
  secretLock: decodeSecretLock,
  accountRestriction: decodeAccountRestriction,
  mosaicRestriction: decodeMosaicRestriction,
  metadata: decodeMetadata,
};

/** Decodes a state value of any kind. Throws `EntityError`, naming the field, when the bytes are invalid. */
export function decodeState<K extends StateKind>(kind: K, value: Buffer): StateByKind[K] {
  return DECODERS[kind](value);
}

/** Like `decodeState`, but undefined for a value that this program cannot decode, most likely of a later version. */
export function decodeKnownState<K extends StateKind>(kind: K, value: Buffer): StateByKind[K] | undefined {
  try {
    return decodeState(kind, value);
  } catch (error) {
    if (error instanceof EntityError) return undefined;
    throw error;
  }
}

/** The version at the start of every state value; 0 if it is too short. */
export function stateVersion(value: Buffer): number {
  return value.length < 2 ? 0 : value.readUInt16LE(0);
}
