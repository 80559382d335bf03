import { createHash, hash } from "node:crypto";
import { vrfProofHash } from "../crypto/vrf.js";
import { isAggregateType } from "../structs/type-names.js";
import { blockHeaderSize } from "./block-entity.js";
import { AGGREGATE, BLOCK, VERIFIABLE } from "./entity-layout.js";
import type { NetworkIdentity } from "./model.js";

/** Parts are joined here before they are hashed; larger ones in memory of their own. */
const joined = Buffer.allocUnsafeSlow(2_048);

/** sha3-256 (32 bytes) of the concatenated parts. */
export function sha3(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.from(sha3Characters(parts.length === 1 ? parts[0]! : join(parts)), "latin1");
}

/** sha3-256 as a character (latin1) per byte: a digest in a buffer has memory of its own, whose allocation takes as long as hashing. */
export function sha3Characters(bytes: Uint8Array): string {
  return hash("sha3-256", bytes, "binary");
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  let size = 0;
  for (const { length } of parts) size += length;
  if (size > joined.length) return Buffer.concat(parts, size);
  let end = 0;
  for (const part of parts) {
    joined.set(part, end);
    end += part.length;
  }
  return joined.subarray(0, size);
}

/**
 * The bytes of a block that its harvester signs: the header without its first fields and without padding.
 * @param headerSize bytes of the header, for a block of an unknown type
 */
export function blockSigningBytes(block: Buffer, headerSize = headerSizeByType(block)): Buffer {
  return block.subarray(VERIFIABLE.version, headerSize === BLOCK.normalHeaderSize ? BLOCK.footer : headerSize);
}

function headerSizeByType(block: Buffer): number {
  return blockHeaderSize(block.readUInt16LE(VERIFIABLE.type)) ?? BLOCK.importanceHeaderSize;
}

function signatureAndSigner(entity: Buffer): Buffer {
  return entity.subarray(VERIFIABLE.signature, VERIFIABLE.bodyReserved);
}

/** Entity hash (32 bytes) of a block, given at least its header; `headerSize` as in `blockSigningBytes`. */
export function blockHash(block: Buffer, headerSize?: number): Buffer {
  return sha3(signatureAndSigner(block), blockSigningBytes(block, headerSize));
}

/**
 * The part of a transaction that is signed and hashed. For an aggregate that is the header up to the hash of its
 * embedded transactions (from version 3 on up to their size too): embedded ones are covered by that hash,
 * cosignatures are not.
 */
function transactionDataBytes(transaction: Buffer): Buffer {
  if (!isAggregateType(transaction.readUInt16LE(VERIFIABLE.type))) return transaction.subarray(VERIFIABLE.version);
  const coversPayloadSize = transaction[VERIFIABLE.version]! >= 3;
  return transaction.subarray(VERIFIABLE.version, coversPayloadSize ? AGGREGATE.reserved : AGGREGATE.payloadSize);
}

/**
 * The bytes that the signer of a transaction signs: the network's generation hash seed, then the transaction's data.
 */
export function transactionSigningBytes(transaction: Buffer, network: NetworkIdentity): Buffer {
  return Buffer.concat([network.generationHashSeed, transactionDataBytes(transaction)]);
}

/** Entity hash (32 bytes) of a top-level transaction. */
export function transactionHash(transaction: Buffer, network: NetworkIdentity): Buffer {
  return sha3(signatureAndSigner(transaction), network.generationHashSeed, transactionDataBytes(transaction));
}

/** A block's generation hash (32 bytes): the value of its VRF proof. */
export function generationHash(block: Buffer): Buffer {
  return computeGenerationHash(block.subarray(BLOCK.proofGamma, BLOCK.proofGamma + 32));
}

/** The generation hash (32 bytes) of a block whose VRF proof has this point (32 bytes). It takes a seventh of a millisecond. */
export function computeGenerationHash(gamma: Buffer): Buffer {
  return vrfProofHash(gamma).subarray(0, 32);
}

/** sha3-256 of any number of parts without concatenating them. */
export function sha3OfMany(parts: Iterable<Uint8Array>): Buffer {
  const hasher = createHash("sha3-256");
  for (const part of parts) hasher.update(part);
  return hasher.digest();
}

/** Hashes of 32 bytes that are stored one after another. */
export function splitHashes(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / 32 }, (_, index) => bytes.subarray(32 * index, 32 * (index + 1)));
}
