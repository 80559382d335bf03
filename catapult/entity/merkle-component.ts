import { isAggregateType } from "../structs/type-names.js";
import { AGGREGATE, COSIGNATURE, VERIFIABLE } from "./entity-layout.js";
import { sha3Characters } from "./hashes.js";

/** Of hashes and public keys, in bytes. */
const KEY_SIZE = 32;
/** Enough for the cosignatures that networks allow: 25 on the main network. */
const MAX_PARTS = 64;

/** A hash and public keys are joined here before they are hashed; more of them in memory of their own. */
const joined = Buffer.allocUnsafeSlow(MAX_PARTS * KEY_SIZE);
/** Its beginnings, by the number of parts. */
const beginnings: Uint8Array[] = [];

/**
 * Where the cosignatures start of the aggregate in `bytes` from `start` to `end`; `end` if it has none. Without its embedded
 * transactions, which then are missing, they follow its header. An aggregate of an unknown version is read like known ones.
 */
export function cosignaturesStart(bytes: Buffer, start: number, end: number): number {
  if (end - start < AGGREGATE.headerSize) return end;
  const isWhole = bytes.readUInt32LE(start + VERIFIABLE.size) <= end - start;
  const payloadSize = isWhole ? bytes.readUInt32LE(start + AGGREGATE.payloadSize) : 0;
  const first = start + AGGREGATE.headerSize + payloadSize;
  return first <= end && (end - first) % COSIGNATURE.size === 0 ? first : end;
}

/**
 * Leaf of the transactions tree (32 bytes): the hash of the transaction that fills `bytes`, hashed again with the
 * cosigners' public keys if there are any.
 */
export function merkleComponentHash(entityHash: Buffer, bytes: Buffer): Buffer {
  if (!isAggregateType(bytes.readUInt16LE(VERIFIABLE.type))) return entityHash;
  const start = cosignaturesStart(bytes, 0, bytes.length);
  if (start === bytes.length) return entityHash;
  return Buffer.from(merkleComponentCharacters(entityHash, 0, bytes, start, bytes.length), "latin1");
}

/**
 * The same as a character (latin1) per byte, for a hash at an offset and at least one cosignature, from `start` to `end`:
 * neither keys nor the result need memory of their own.
 */
export function merkleComponentCharacters(
  hashes: Buffer,
  hashAt: number,
  bytes: Buffer,
  start: number,
  end: number,
): string {
  const parts = 1 + (end - start) / COSIGNATURE.size;
  const to = parts > MAX_PARTS ? Buffer.allocUnsafe(parts * KEY_SIZE) : joined;
  copyKey(hashes, hashAt, to, 0);
  for (let part = 1, cosignature = start; part < parts; ++part, cosignature += COSIGNATURE.size)
    copyKey(bytes, cosignature + COSIGNATURE.signerPublicKey, to, part * KEY_SIZE);
  if (to !== joined) return sha3Characters(to);
  beginnings[parts] ??= joined.subarray(0, parts * KEY_SIZE);
  return sha3Characters(beginnings[parts]);
}

/** Byte by byte: a call would take longer. */
function copyKey(from: Buffer, start: number, to: Buffer, at: number): void {
  for (let byte = 0; byte < KEY_SIZE; ++byte) to[at + byte] = from[start + byte]!;
}
