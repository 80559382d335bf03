import { sha3 } from "../entity/hashes.js";
import {
  idBytes,
  metadataCompositeHash,
  mosaicRestrictionCompositeHash,
  secretLockCompositeHash,
} from "./composite-hash.js";
import type { StateKind } from "./kind.js";
import { targetOf } from "./mosaic-restriction.js";
import type { StateByKind } from "./state.js";
import { STATE } from "./state-table.js";

/**
 * The key of a state value: an address (24 bytes), the id of a mosaic or namespace (8, little-endian), the hash of an
 * aggregate (32), or a composite hash (32, see `composite-hash.ts`).
 */
export interface StateKey {
  readonly kind: StateKind;
  readonly key: Buffer;
}

/** Size of a key: 24 bytes for an address, 8 for an id, 32 for a hash. */
export function stateKeySize(kind: StateKind): number {
  return STATE[kind].tree.keySize;
}

/** The packet that requests paths of a kind of state, for `statePathRequest`. */
export function statePathPacket(kind: StateKind): number {
  return STATE[kind].tree.packet;
}

/** The position (32 bytes) of a key in the tree of its kind. Source: catapult's `SerializerHashedKeyEncoder`. */
export function stateTreeKey(key: Buffer): Buffer {
  return sha3(key);
}

const KEYS: { readonly [K in StateKind]: (state: StateByKind[K]) => Buffer } = {
  account: ({ address }) => address,
  namespace: ({ id }) => idBytes(id),
  mosaic: ({ id }) => idBytes(id),
  multisig: ({ accountAddress }) => accountAddress,
  hashLock: ({ hash }) => hash,
  secretLock: ({ secret, recipientAddress }) => secretLockCompositeHash(secret, recipientAddress),
  accountRestriction: ({ address }) => address,
  mosaicRestriction: (state) => mosaicRestrictionCompositeHash(state.mosaicId, targetOf(state)),
  metadata: metadataCompositeHash,
};

/** The key of a decoded value: for a namespace that of its root. */
export function keyOfState<K extends StateKind>(kind: K, state: StateByKind[K]): Buffer {
  return KEYS[kind](state);
}
