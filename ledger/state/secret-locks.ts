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

function serializeSecretLock(lock: SecretLock): Buffer {
  return writeLock(new ByteWriter(128), lock)
    .uint8(lock.hashAlgorithm)
    .bytes(lock.secret)
    .bytes(lock.recipient)
    .toBuffer();
}
