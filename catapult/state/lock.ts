import type { LockFields } from "../body/lock.js";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import type { StateReader } from "./state-reader.js";

/** Status of a lock. One that expired stays unused. */
export const LOCK_STATUS = { unused: 0, used: 1 } as const;

/** Decodes the common first fields of hash locks and secret locks. Source: catapult's `LockInfoSerializer`. */
export function readLock(reader: StateReader) {
  return {
    ownerAddress: reader.address("ownerAddress"),
    mosaicId: reader.uint64("mosaicId"),
    /** Atomic units. */
    amount: reader.uint64("amount"),
    /** The height at which the lock expires, if it is not used before. */
    endHeight: reader.safeUint64("endHeight"),
    /** One of `LOCK_STATUS`. */
    status: reader.enumeration(LOCK_STATUS.used, "status"),
  };
}

export type LockState = Readonly<ReturnType<typeof readLock>>;

/** The common first fields of the REST bodies of both locks. */
export function lockFields(lock: LockState): LockFields {
  return {
    version: 1,
    ownerAddress: hex(lock.ownerAddress),
    mosaicId: idText(lock.mosaicId),
    amount: decimalText(lock.amount),
    endHeight: decimalText(lock.endHeight),
    status: lock.status,
  };
}
