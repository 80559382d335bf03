import type { HashLockBody } from "../body/lock.js";
import { hex } from "../entity/hex.js";
import { lockFields, readLock } from "./lock.js";
import { stateDecoder } from "./state-reader.js";

/**
 * Decodes the state value of a hash lock: the deposit for a bonded aggregate while it is partial. Source: catapult's
 * `HashLockInfoHistorySerializer`.
 */
export const decodeHashLock = stateDecoder("hashLock", (reader) => ({
  ...readLock(reader),
  /** Of the aggregate, 32 bytes. */
  hash: reader.hash("hash"),
}));

export type HashLockState = ReturnType<typeof decodeHashLock>;

/** The REST body of a hash lock (`HashLockInfoDTO`); `id` is 24 hex digits. */
export function renderHashLock(lock: HashLockState, id: string): string {
  const body: HashLockBody = { id, lock: { ...lockFields(lock), hash: hex(lock.hash) } };
  return JSON.stringify(body);
}
