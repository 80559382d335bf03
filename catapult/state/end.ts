import type { StateKind } from "./kind.js";
import { LOCK_STATUS } from "./lock.js";
import type { StateByKind } from "./state.js";

/**
 * Whether what ends at a height (a lock; a namespace, its grace period included) has ended once the block at `height` is
 * there. At the chain's height this says whether it is active. At the finalized height it says whether the node may have
 * removed it: the node keeps what has ended until then, and removes it with the next block that it takes.
 * Source: catapult's `LockInfoHistory::isActive`, `RootNamespaceHistory::isActive`, `BlockchainSyncConsumer` (prune).
 */
export function hasEnded(endHeight: bigint | number, height: number): boolean {
  return endHeight <= height;
}

/**
 * Why the tree after block `height` does not contain a value that a node still has: a lock that was used or expired,
 * a root namespace that expired. Undefined if the tree contains it. Source: catapult's `LockInfoHistory::isActive`
 * and `RootNamespaceHistory::isActive`.
 */
export function inactiveReason<K extends StateKind>(kind: K, state: StateByKind[K], height: number) {
  if (kind === "hashLock" || kind === "secretLock") {
    const { status, endHeight } = state as StateByKind["hashLock"];
    if (status === LOCK_STATUS.used) return "used";
    return hasEnded(endHeight, height) ? "expired" : undefined;
  }
  if (kind !== "namespace") return undefined;
  return hasEnded((state as StateByKind["namespace"]).endHeight, height) ? "expired" : undefined;
}
