import { sha3 } from "../entity/hashes.js";

/** In the key of a mosaic's rules: no account has it. */
export const NO_ADDRESS = Buffer.alloc(24);

/** The target of a metadata entry. */
export const METADATA_TYPE = { account: 0, mosaic: 1, namespace: 2 } as const;

/** Identity of a metadata entry; addresses and ids are resolved. */
export interface MetadataIdentity {
  readonly sourceAddress: Buffer;
  readonly targetAddress: Buffer;
  readonly scopedMetadataKey: bigint;
  /** The mosaic or namespace; 0 for account metadata. */
  readonly targetId: bigint;
  /** One of `METADATA_TYPE`. */
  readonly metadataType: number;
}

/** An id in its serialized form: 8 bytes, little-endian. */
export function idBytes(id: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(id);
  return bytes;
}

/** The key (32 bytes) of a metadata entry. Source: catapult's `MetadataKey`. */
export function metadataCompositeHash(identity: MetadataIdentity): Buffer {
  const { sourceAddress, targetAddress, scopedMetadataKey, targetId, metadataType } = identity;
  return sha3(sourceAddress, targetAddress, idBytes(scopedMetadataKey), idBytes(targetId), Uint8Array.of(metadataType));
}

/**
 * The key (32 bytes) of a secret lock, from the secret and the resolved recipient. Source: catapult's
 * `LockHashUtils`.
 */
export function secretLockCompositeHash(secret: Uint8Array, recipientAddress: Buffer): Buffer {
  return sha3(secret, recipientAddress);
}

/**
 * The key (32 bytes) of a mosaic restriction: of an account's values, or without an account of the mosaic's rules.
 * Source: catapult's `MosaicRestrictionEntry`.
 */
export function mosaicRestrictionCompositeHash(mosaicId: bigint, targetAddress: Buffer = NO_ADDRESS): Buffer {
  return sha3(idBytes(mosaicId), targetAddress);
}

/** An id as a key: 8 bytes, big-endian, so that hex digits and bytes have the same order. */
export function idKey(id: bigint): Buffer {
  const key = Buffer.alloc(8);
  key.writeBigUInt64BE(id);
  return key;
}
