import type { LockFields } from "../body/lock.js";
import { hex } from "../entity/hex.js";
import { decimalText, idText } from "../json/format.js";
import type { StateReader } from "./state-reader.js";

/** What became of a lock. One that expired stays unused. */
export const LOCK_STATUS = { unused: 0, used: 1 } as const;

/** What hash locks and secret locks have in common. */
export interface LockState {
  readonly ownerAddress: Buffer;
  readonly mosaicId: bigint;
  /** Atomic units. */
  readonly amount: bigint;
  /** Where the lock expires, if it is not used below. */
  readonly endHeight: number;
  /** One of `LOCK_STATUS`. */
  readonly status: number;
}

/** Reads what the values of both locks begin with. Source: catapult's `LockInfoSerializer`. */
export function readLock(reader: StateReader): LockState {
  reader.version();
  return {
    ownerAddress: reader.address("ownerAddress"),
    mosaicId: reader.uint64("mosaicId"),
    amount: reader.uint64("amount"),
    endHeight: reader.safeUint64("endHeight"),
    status: reader.enumeration(LOCK_STATUS.used, "status"),
  };
}

/** The fields that the REST documents of both locks begin with. */
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
