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

/**
 * The locks of one id, of which only the newest can be usable. A node keeps the older ones until their end is final,
 * and longer behind one that ends later; their ends count where a network forces expirations.
 */
export interface LockHistory<T extends LockInfo> {
  /** The oldest first. Empty once all were removed, if a leaf remains. */
  readonly locks: readonly T[];
  /**
   * A lock that ended where the network skips expirations: no block touched it then, so its leaf remains in the tree,
   * also when the lock itself was removed, until the same id is locked again.
   */
  readonly remaining: T | undefined;
}

/**
 * Locks of one kind. A used or expired lock leaves the tree with the block that uses it, or in which it ends; it is
 * removed when its end is final, which is not a change of a block. Source: catapult's `LockInfoCacheDelta`,
 * `LockInfoHistory`, `BlockchainSyncConsumer` (prune).
 */
export class Locks<T extends LockInfo> {
  readonly table: StateTable<string, LockHistory<T>>;
  /** Ids by the heights at which one of their locks ends. */
  readonly #expiries: HeightGroups<string>;

  constructor(journal: Journal, serialize: (lock: T) => Buffer, parent?: Locks<T>) {
    this.table = new StateTable<string, LockHistory<T>>(
      journal,
      {
        keyBytes: bytesOfMapKey,
        serialize: (history) => serialize(shownLock(history)),
        isInTree: ({ locks, remaining }, height) => {
          const newest = locks.at(-1);
          return remaining !== undefined || (newest !== undefined && isLockActive(newest, height));
        },
      },
      parent?.table,
    );
    this.#expiries = new HeightGroups(journal, parent === undefined ? undefined : parent.#expiries);
  }

  /** The newest lock of an id. */
  get(id: Buffer): T | undefined {
    return this.table.get(mapKey(id))?.locks.at(-1);
  }

  add(lock: T): void {
    const key = mapKey(lock.id);
    this.table.set(key, { locks: [...(this.table.get(key)?.locks ?? []), lock], remaining: undefined });
    this.#expiries.add(BigInt(lock.endHeight), key);
  }

  /** Adds the locks of an id that exist after block `height`. */
  load(history: LockHistory<T>, height: number): void {
    const key = mapKey(shownLock(history).id);
    this.table.load(key, history, height);
    for (const { endHeight } of history.locks) this.#expiries.load(BigInt(endHeight), key);
  }

  markUsed(lock: T): void {
    const key = mapKey(lock.id);
    const locks = this.table.get(key)?.locks ?? [];
    this.table.set(key, { locks: [...locks.slice(0, -1), { ...lock, isUsed: true }], remaining: undefined });
  }

  /** The newest locks of the ids of which a lock, perhaps an older one, ends at `height`, if they are unused. */
  expiringAt(height: number): readonly T[] {
    const expiring: T[] = [];
    for (const key of this.#expiries.at(BigInt(height))) {
      const history = this.table.get(key);
      const newest = history?.locks.at(-1);
      if (!history || !newest) continue;
      if (history.remaining) this.table.set(key, { ...history, remaining: undefined });
      else this.table.touch(key);
      if (!newest.isUsed) expiring.push(newest);
    }
    return expiring;
  }

  /** At a height where the network skips expirations: the leaves of the locks that end there remain in the tree. */
  skipExpiries(height: number): void {
    for (const key of this.#expiries.at(BigInt(height))) {
      const history = this.table.get(key);
      const newest = history?.locks.at(-1);
      if (!history || newest?.endHeight !== height || newest.isUsed) continue;
      this.table.set(key, { ...history, remaining: newest });
    }
  }

  /** Removes the locks that ended at `height`, which is final. Returns the map keys of the ids concerned. */
  prune(height: number): readonly string[] {
    const keys = this.#expiries.at(BigInt(height)).filter((key) => this.pruneId(key, height));
    this.#expiries.clear(BigInt(height));
    return keys;
  }

  /** Removes the oldest locks of an id as far as they ended at `height` or before. Returns whether there are some. */
  pruneId(key: string, height: number): boolean {
    const history = this.table.get(key);
    if (!history) return false;
    const kept = history.locks.findIndex(({ endHeight }) => !hasEnded(endHeight, height));
    const locks = kept < 0 ? [] : history.locks.slice(kept);
    if (locks.length === history.locks.length) return false;
    if (locks.length > 0 || history.remaining) this.table.replace(key, { ...history, locks });
    else this.table.forget(key);
    return true;
  }
}

/** The lock that represents an id: the newest, or the one of which only a leaf remains. */
function shownLock<T extends LockInfo>({ locks, remaining }: LockHistory<T>): T {
  return locks.at(-1) ?? (remaining as T);
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
