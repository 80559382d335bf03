import type { HashLockBody } from "../body/lock.js";
import { hex } from "../entity/hex.js";
import { type LockState, lockFields, readLock } from "./lock.js";
import { StateReader } from "./state-reader.js";

/** The deposit for a bonded aggregate while it is partial. */
export interface HashLockState extends LockState {
  /** Hash of the aggregate, 32 bytes. */
  readonly hash: Buffer;
}

/**
 * Decodes the state value of a hash lock, which fills `value` exactly.
 * Source: catapult's `HashLockInfoHistorySerializer`. Throws `EntityError` naming the field.
 */
export function decodeHashLock(value: Buffer): HashLockState {
  const reader = new StateReader(value, "hashLock");
  const lock = { ...readLock(reader), hash: reader.hash("hash") };
  reader.end();
  return lock;
}

/** The REST body of a hash lock (`HashLockInfoDTO`); `id` is 24 hex digits. */
export function renderHashLock(lock: HashLockState, id: string): string {
  const body: HashLockBody = { id, lock: { ...lockFields(lock), hash: hex(lock.hash) } };
  return JSON.stringify(body);
}
