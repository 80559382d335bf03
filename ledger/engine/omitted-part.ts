import type { StateKind } from "../../catapult/state/kind.js";
import type { LockState } from "../../catapult/state/lock.js";
import { serializeHistory } from "../tables/account-history.js";
import type { AccountState } from "../tables/accounts.js";
import type { LockHistory } from "../tables/locks.js";
import type { RootNamespace } from "../tables/namespaces.js";

/**
 * What the state value of an entry omits though execution needs it, stored beside the value:
 * - accounts: all importances and activity (`serializeHistory`);
 * - root namespaces: one byte of flags, if they were removed;
 * - locks: one byte of flags, then the values of the older locks of the id, the oldest first; undefined if the flags are
 *   0 and there are none.
 */
export type OmittedPart = Buffer | undefined;

/** The entry was removed, and nodes no longer show it. Its value is that of its end. */
const REMOVED = 1;
/** The leaf of the lock is in the tree, although it ended. */
const LEAF_REMAINS = 2;

/** The part of an entry that its value omits. @param serialize gives the value of an entry of this table */
export function omittedPart(kind: StateKind, entry: unknown, serialize: (entry: unknown) => Buffer): OmittedPart {
  if (kind === "account") return serializeHistory(entry as AccountState);
  if (kind === "namespace") return (entry as RootNamespace).isRemoved ? Buffer.of(REMOVED) : undefined;
  if (kind !== "hashLock" && kind !== "secretLock") return undefined;
  const history = entry as LockHistory<LockState>;
  const flags = (history.newest ? 0 : REMOVED) | (history.remaining ? LEAF_REMAINS : 0);
  if (flags === 0 && history.older.length === 0) return undefined;
  const older = Array.from(history.older, (newest) => serialize({ ...history, newest }));
  return Buffer.concat([Buffer.of(flags), ...older]);
}

/** Whether an entry was removed: it is part of the state for execution only. */
export function isRemoved(kind: StateKind, part: OmittedPart): boolean {
  return kind !== "account" && ((part?.[0] ?? 0) & REMOVED) !== 0;
}

/** Whether the leaf of a lock is in the tree although it ended. */
export function leafRemains(kind: StateKind, part: OmittedPart): boolean {
  return (kind === "hashLock" || kind === "secretLock") && ((part?.[0] ?? 0) & LEAF_REMAINS) !== 0;
}

/** The values of the older locks of an id. @throws RangeError for a part of another size @param size of a value, bytes */
export function olderLocks(part: OmittedPart, size: number): readonly Buffer[] {
  const bytes = part?.subarray(1) ?? Buffer.alloc(0);
  if (bytes.length % size !== 0)
    throw new RangeError(`older locks have ${bytes.length} bytes, not a multiple of ${size}`);
  return Array.from({ length: bytes.length / size }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}
