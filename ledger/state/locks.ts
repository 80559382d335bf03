import { hasEnded } from "../../catapult/state/end.js";
import type { ByteWriter } from "./byte-writer.js";
import { HeightGroups, type Journal } from "./journal.js";
import { bytesOfMapKey, mapKey, StateTable } from "./state-table.js";

/** Common fields of hash locks and secret locks. */
export interface LockInfo {
  /** The hash that identifies the lock. */
  readonly id: Buffer;
  readonly owner: Buffer;
  readonly mosaicId: bigint;
  readonly amount: bigint;
  /** The first block in which it is no longer usable. */
  readonly endHeight: number;
  readonly isUsed: boolean;
}

/** Locks of one kind. A used or expired lock leaves the tree, but is kept until its end is finalized. */
export class Locks<T extends LockInfo> {
  readonly table: StateTable<string, T>;
  readonly #expiries: HeightGroups<string>;

  constructor(journal: Journal, serialize: (lock: T) => Buffer, parent?: Locks<T>) {
    this.table = new StateTable<string, T>(
      journal,
      { keyBytes: bytesOfMapKey, serialize, isInTree: isLockActive },
      parent?.table,
    );
    this.#expiries = new HeightGroups(journal, parent === undefined ? undefined : parent.#expiries);
  }

  get(id: Buffer): T | undefined {
    return this.table.get(mapKey(id));
  }

  add(lock: T): void {
    this.table.set(mapKey(lock.id), lock);
    this.#expiries.add(BigInt(lock.endHeight), mapKey(lock.id));
  }

  /** Adds a lock that exists after block `height`. */
  load(lock: T, height: number): void {
    this.table.load(mapKey(lock.id), lock, height);
    this.#expiries.load(BigInt(lock.endHeight), mapKey(lock.id));
  }

  markUsed(lock: T): void {
    this.table.set(mapKey(lock.id), { ...lock, isUsed: true });
  }

  /** The unused locks that end with the block before `height`. */
  expiringAt(height: number): readonly T[] {
    const keys = this.#expiries.at(BigInt(height));
    for (const key of keys) this.table.touch(key);
    return keys.map((key) => this.table.get(key)).filter((lock) => lock !== undefined && !lock.isUsed) as T[];
  }

  /** Map keys of the locks that `prune` deletes. */
  prunable(height: number): readonly string[] {
    return this.#expiries.at(BigInt(height)).filter((key) => {
      const lock = this.table.get(key);
      return lock !== undefined && hasEnded(lock.endHeight, height);
    });
  }

  /** Deletes the locks that ended at `height`, which is finalized. */
  prune(height: number): void {
    for (const key of this.prunable(height)) this.table.forget(key);
    this.#expiries.clear(BigInt(height));
  }
}

/** Whether a lock is usable in block `height`. */
export function isLockActive(lock: LockInfo, height: number): boolean {
  return !hasEnded(lock.endHeight, height) && !lock.isUsed;
}

/** Writes the common first fields of the state values of both kinds of locks. */
export function writeLock(writer: ByteWriter, lock: LockInfo): ByteWriter {
  return writer
    .uint16(1)
    .bytes(lock.owner)
    .uint64(lock.mosaicId)
    .uint64(lock.amount)
    .uint64(lock.endHeight)
    .uint8(lock.isUsed ? 1 : 0);
}
