/**
 * Whether what ends at a height (a lock; a namespace, its grace period included) has ended once the block at `height` is
 * there. At the chain's height this says whether it is active. At the finalized height it says whether the node may have
 * removed it: the node keeps what has ended until then, and removes it with the next block that it takes.
 * Source: catapult's `LockInfoHistory::isActive`, `RootNamespaceHistory::isActive`, `BlockchainSyncConsumer` (prune).
 */
export function hasEnded(endHeight: bigint | number, height: number): boolean {
  return endHeight <= height;
}
