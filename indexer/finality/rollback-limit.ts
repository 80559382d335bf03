import type { Finalization } from "../../database/queries/head.js";
import { FinalizedBlockDroppedError } from "../step/errors.js";

/** While the index catches up with final blocks, this number of newest blocks can be rolled back all the same. */
const MIN_ROLLBACK_BLOCKS = 1_440;

/**
 * Whether blocks above `keptHeight` may be dropped: no finalized one ever is.
 * @throws FinalizedBlockDroppedError if not
 */
export function checkRollback({ height }: Finalization, keptHeight: number): void {
  if (keptHeight >= height) return;
  throw new FinalizedBlockDroppedError(
    height,
    `The node's chain does not contain our finalized block at height ${height}`,
  );
}

/**
 * The highest block that need not be rolled back any more, once the index is at `height`: what restores the state
 * below it is not kept.
 * @param heights of the index's finalized block, and of the one that the node claims: higher while the index catches up
 */
export function rollbackFloor(
  { finalizedHeight, nodeFinalizedHeight }: { readonly finalizedHeight: number; readonly nodeFinalizedHeight: number },
  height: number,
): number {
  return Math.max(finalizedHeight, Math.min(nodeFinalizedHeight, height - MIN_ROLLBACK_BLOCKS));
}
