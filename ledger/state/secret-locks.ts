import { createHash } from "node:crypto";
import { ByteWriter } from "./byte-writer.js";
import type { Journal } from "./journal.js";
import { type LockInfo, Locks, writeLock } from "./locks.js";

/** Funds locked until a proof is shown; the id is derived from secret and recipient. */
export interface SecretLock extends LockInfo {
  readonly hashAlgorithm: number;
  readonly secret: Buffer;
  readonly recipient: Buffer;
}

/** Creates the table of secret locks. */
export function createSecretLocks(journal: Journal, parent?: Locks<SecretLock>): Locks<SecretLock> {
  return new Locks(journal, serializeSecretLock, parent);
}

/** The composite hash that identifies a secret lock. */
export function secretLockId(secret: Buffer, recipient: Buffer): Buffer {
  return createHash("sha3-256").update(secret).update(recipient).digest();
}

/** Hashes a proof to its secret, by the lock's algorithm; undefined for an unknown algorithm. */
export function secretOf(hashAlgorithm: number, proof: Buffer): Buffer | undefined {
  const hash = (name: string, bytes: Buffer) => createHash(name).update(bytes).digest();
  if (hashAlgorithm === 0) return hash("sha3-256", proof);
  if (hashAlgorithm === 1) return Buffer.concat([hash("ripemd160", hash("sha256", proof)), Buffer.alloc(12)]);
  if (hashAlgorithm === 2) return hash("sha256", hash("sha256", proof));
  return undefined;
}

function serializeSecretLock(lock: SecretLock): Buffer {
  return writeLock(new ByteWriter(128), lock)
    .uint8(lock.hashAlgorithm)
    .bytes(lock.secret)
    .bytes(lock.recipient)
    .toBuffer();
}
