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
