import { ByteWriter } from "./byte-writer.js";
import type { Journal } from "./journal.js";
import { type LockInfo, Locks, writeLock } from "./locks.js";

/** A deposit for a bonded aggregate; its id is the aggregate's hash. */
export type HashLock = LockInfo;

/** Creates the table of hash locks. */
export function createHashLocks(journal: Journal, parent?: Locks<HashLock>): Locks<HashLock> {
  return new Locks(journal, serializeHashLock, parent);
}

function serializeHashLock(lock: HashLock): Buffer {
  return writeLock(new ByteWriter(96), lock).bytes(lock.id).toBuffer();
}
