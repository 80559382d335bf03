import { hasEnded } from "../../catapult/state/end.js";
import { keyOfState } from "../../catapult/state/key.js";
import { LOCK_STATUS, type LockState } from "../../catapult/state/lock.js";
import { encodeState, type StateByKind } from "../../catapult/state/state.js";
import { HeightGroups, type Journal } from "../trees/journal.js";
import { bytesOfMapKey, mapKey, StateTable } from "../trees/state-table.js";

export type LockKind = "hashLock" | "secretLock";

/**
 * The locks of one id, of which only the newest can be usable. A node keeps the older ones until their end is final,
 * and longer behind one that ends later; their ends count where a network forces expirations.
 */
export interface LockHistory<T extends LockState> {
  readonly older: OlderLocks<T>;
  /** Undefined once all were removed, if a leaf remains. */
  readonly newest: T | undefined;
  /**
   * A lock that ended where the network skips expirations: no block touched it then, so its leaf remains in the tree,
   * also when the lock itself was removed, until the same id is locked again.
   */
  readonly remaining: T | undefined;
}

/**
 * The older locks of an id, the oldest first: part of an array that the histories of an id share, so that another lock
 * of the same id costs the same however many there are.
 */
export class OlderLocks<T> implements Iterable<T> {
  readonly #locks: T[];
  readonly #from: number;
  readonly #to: number;

  private constructor(locks: T[], from: number, to: number) {
    this.#locks = locks;
    this.#from = from;
    this.#to = to;
  }

  static of<T>(locks: Iterable<T>): OlderLocks<T> {
    const own = [...locks];
    return new OlderLocks(own, 0, own.length);
  }

  get length(): number {
    return this.#to - this.#from;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = this.#from; index < this.#to; ++index) yield this.#locks[index]!;
  }

  /** The locks and another one. The array is copied if a history that was rolled back has appended to the array. */
  with(lock: T): OlderLocks<T> {
    if (this.#locks.length > this.#to) return OlderLocks.of([...this, lock]);
    this.#locks.push(lock);
    return new OlderLocks(this.#locks, this.#from, this.#to + 1);
  }

  /** The locks without the oldest ones for which `hasEnded` is true. */
  after(hasEnded: (lock: T) => boolean): OlderLocks<T> {
    let from = this.#from;
    while (from < this.#to && hasEnded(this.#locks[from]!)) from += 1;
    if (from === this.#from) return this;
    const left = new OlderLocks(this.#locks, from, this.#to);
    return 2 * left.length < this.#locks.length ? OlderLocks.of(left) : left;
  }
}

/**
 * Locks of one kind. A used or expired lock leaves the tree with the block that uses it, or in which it ends; it is
 * removed when its end is final, which is not a change of a block. Source: catapult's `LockInfoCacheDelta`,
 * `LockInfoHistory`, `BlockchainSyncConsumer` (prune).
 */
export class Locks<T extends StateByKind[LockKind]> {
  readonly table: StateTable<string, LockHistory<T>>;
  readonly #kind: LockKind;
  /** Ids by the heights at which one of their locks ends. */
  readonly #expiries: HeightGroups<string>;

  constructor(journal: Journal, kind: LockKind, parent?: Locks<T>) {
    this.#kind = kind;
    this.table = new StateTable<string, LockHistory<T>>(
      journal,
      {
        keyBytes: bytesOfMapKey,
        serialize: (history) => encodeState(kind, shownLock(history)),
        isInTree: ({ newest, remaining }, height) =>
          remaining !== undefined || (newest !== undefined && isLockActive(newest, height)),
      },
      parent?.table,
    );
    this.#expiries = new HeightGroups(journal, parent === undefined ? undefined : parent.#expiries);
  }

  #keyOf(lock: T): string {
    return mapKey(keyOfState(this.#kind, lock));
  }

  /** The newest lock of an id. */
  get(id: Buffer): T | undefined {
    return this.table.get(mapKey(id))?.newest;
  }

  add(lock: T): void {
    const key = this.#keyOf(lock);
    const { older = OlderLocks.of<T>([]), newest } = this.table.get(key) ?? {};
    this.table.set(key, { older: newest ? older.with(newest) : older, newest: lock, remaining: undefined });
    this.#expiries.add(BigInt(lock.endHeight), key);
  }

  /** Adds the locks of an id that exist after block `height`. */
  load(history: LockHistory<T>, height: number): void {
    const key = this.#keyOf(shownLock(history));
    this.table.load(key, history, height);
    const { older, newest } = history;
    for (const { endHeight } of newest ? [...older, newest] : older) this.#expiries.load(BigInt(endHeight), key);
  }

  markUsed(lock: T): void {
    const key = this.#keyOf(lock);
    const { older = OlderLocks.of<T>([]) } = this.table.get(key) ?? {};
    this.table.set(key, { older, newest: { ...lock, status: LOCK_STATUS.used }, remaining: undefined });
  }

  /** The newest locks of the ids of which a lock, perhaps an older one, ends at `height`, if they are unused. */
  expiringAt(height: number): readonly T[] {
    const expiring: T[] = [];
    for (const key of this.#expiries.at(BigInt(height))) {
      const history = this.table.get(key);
      const newest = history?.newest;
      if (!history || !newest) continue;
      if (history.remaining) this.table.set(key, { ...history, remaining: undefined });
      else this.table.touch(key);
      if (!isUsed(newest)) expiring.push(newest);
    }
    return expiring;
  }

  /** At a height where the network skips expirations: the leaves of the locks that end there remain in the tree. */
  skipExpiries(height: number): void {
    for (const key of this.#expiries.at(BigInt(height))) {
      const history = this.table.get(key);
      const newest = history?.newest;
      if (!history || newest?.endHeight !== height || isUsed(newest)) continue;
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
    const hasExpired = ({ endHeight }: T) => hasEnded(endHeight, height);
    const older = history.older.after(hasExpired);
    const newest = older.length === 0 && history.newest && hasExpired(history.newest) ? undefined : history.newest;
    if (older === history.older && newest === history.newest) return false;
    if (newest || history.remaining) this.table.replace(key, { ...history, older, newest });
    else this.table.forget(key);
    return true;
  }
}

function isUsed({ status }: LockState): boolean {
  return status === LOCK_STATUS.used;
}

/** The lock that represents an id: the newest, or the one of which only a leaf remains. */
function shownLock<T extends LockState>({ newest, remaining }: LockHistory<T>): T {
  return newest ?? (remaining as T);
}

/** Whether a lock is usable in block `height`. */
export function isLockActive(lock: LockState, height: number): boolean {
  return !hasEnded(lock.endHeight, height) && !isUsed(lock);
}
