import { sha3 } from "../entity/hashes.js";

const NO_ADDRESS = Buffer.alloc(24);

/** What a metadata entry belongs to. */
export const METADATA_TYPE = { account: 0, mosaic: 1, namespace: 2 } as const;

/** What identifies a metadata entry; addresses and ids are resolved. */
export interface MetadataIdentity {
  readonly sourceAddress: Buffer;
  readonly targetAddress: Buffer;
  readonly scopedMetadataKey: bigint;
  /** The mosaic or namespace; 0 for an account's metadata. */
  readonly targetId: bigint;
  /** One of `METADATA_TYPE`. */
  readonly metadataType: number;
}

/** An id as it is written on the wire: 8 bytes, little-endian. */
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

/** The key (32 bytes) of a secret lock, given the secret and the resolved recipient. Source: catapult's `LockHashUtils`. */
export function secretLockCompositeHash(secret: Uint8Array, recipientAddress: Buffer): Buffer {
  return sha3(secret, recipientAddress);
}

/**
 * The key (32 bytes) of a mosaic's restriction: of an account's values, or without one of the mosaic's rules.
 * Source: catapult's `MosaicRestrictionEntry`.
 */
export function mosaicRestrictionCompositeHash(mosaicId: bigint, targetAddress: Buffer = NO_ADDRESS): Buffer {
  return sha3(idBytes(mosaicId), targetAddress);
}
