import { ADDRESS_SIZE } from "../entity/address.js";
import { sha3 } from "../entity/hashes.js";
import { PacketType } from "../wire/packet-type.js";
import {
  idBytes,
  metadataCompositeHash,
  mosaicRestrictionCompositeHash,
  secretLockCompositeHash,
} from "./composite-hash.js";
import type { StateKind } from "./kind.js";
import { targetOf } from "./mosaic-restriction.js";
import type { StateByKind } from "./state.js";

/**
 * The key of a state value: an address (24 bytes), the id of a mosaic or namespace (8, little-endian), the hash of an
 * aggregate (32), or a composite hash (32, see `composite-hash.ts`).
 */
export interface StateKey {
  readonly kind: StateKind;
  readonly key: Buffer;
}

const PATH_PACKETS: Readonly<Record<StateKind, number>> = {
  account: PacketType.accountStatePath,
  namespace: PacketType.namespaceStatePath,
  mosaic: PacketType.mosaicStatePath,
  multisig: PacketType.multisigStatePath,
  hashLock: PacketType.hashLockStatePath,
  secretLock: PacketType.secretLockStatePath,
  accountRestriction: PacketType.accountRestrictionsStatePath,
  mosaicRestriction: PacketType.mosaicRestrictionsStatePath,
  metadata: PacketType.metadataStatePath,
};

const ID_SIZE = 8;
const HASH_SIZE = 32;
const SIZES: Readonly<Record<StateKind, number>> = {
  account: ADDRESS_SIZE,
  namespace: ID_SIZE,
  mosaic: ID_SIZE,
  multisig: ADDRESS_SIZE,
  hashLock: HASH_SIZE,
  secretLock: HASH_SIZE,
  accountRestriction: ADDRESS_SIZE,
  mosaicRestriction: HASH_SIZE,
  metadata: HASH_SIZE,
};

/** Size of a key: 24 bytes for an address, 8 for an id, 32 for a hash. */
export function stateKeySize(kind: StateKind): number {
  return SIZES[kind];
}

/** The packet that requests paths of a kind of state, for `statePathRequest`. */
export function statePathPacket(kind: StateKind): number {
  return PATH_PACKETS[kind];
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
