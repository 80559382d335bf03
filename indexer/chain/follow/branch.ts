import type { Db } from "../../../database/database.js";
import { findBlockHashes } from "../../../database/queries/blocks.js";
import type { Head } from "../../../database/queries/head.js";
import { checkRollback } from "../finality/finality.js";
import type { Source } from "../source/source.js";
import { BEFORE_NEMESIS, type ChainPosition } from "../step/chain-position.js";

/** The relation of the node's chain to the index. */
export type Branch =
  /** The node has our head, and perhaps blocks above it. */
  | { readonly kind: "same" }
  /** The node's chain ends below our head and is part of ours: it is behind, there is nothing to do yet. */
  | { readonly kind: "behind"; readonly height: number }
  /** The node left our chain after `common`: everything above has to be dropped. */
  | { readonly kind: "fork"; readonly common: ChainPosition };

/** Number of hashes requested at a time when searching downwards; a node sends at most 84 by default. */
const HASHES_AT_A_TIME = 50;

/**
 * Compares hashes, never heights alone: two branches may be equally high. Searches downwards from the head until a
 * hash is equal, at most to the finalized block.
 * @throws FinalizedBlockDroppedError when the finalized block itself is not in the node's chain
 */
export async function compareBranch(
  db: Db,
  source: Pick<Source, "blockHashes">,
  head: Head,
  nodeHeight: number,
): Promise<Branch> {
  if (nodeHeight >= head.height) {
    const [hash] = await source.blockHashes(head.height, 1);
    if (hash?.equals(head.hash)) return { kind: "same" };
  }
  const lowest = Math.max(1, head.finalization.height);
  let top = Math.min(nodeHeight, head.height);
  if (top >= lowest && top < head.height && (await highestCommon(db, source, top, top)))
    return { kind: "behind", height: top };
  while (top >= lowest) {
    const bottom = Math.max(lowest, top - HASHES_AT_A_TIME + 1);
    const common = await highestCommon(db, source, bottom, top);
    // The node has returned to our branch meanwhile.
    if (common?.height === head.height) return { kind: "same" };
    if (common) return { kind: "fork", common };
    top = bottom - 1;
  }
  if (nodeHeight < lowest) return { kind: "behind", height: nodeHeight };
  checkRollback(head.finalization, BEFORE_NEMESIS.height);
  return { kind: "fork", common: BEFORE_NEMESIS };
}

async function highestCommon(
  db: Db,
  source: Pick<Source, "blockHashes">,
  bottom: number,
  top: number,
): Promise<ChainPosition | undefined> {
  const theirs = await source.blockHashes(bottom, top - bottom + 1);
  const ours = await findBlockHashes(db, bottom, top);
  for (let height = top; height >= bottom; height--) {
    const hash = theirs[height - bottom];
    if (hash && ours.get(height)?.equals(hash)) return { height, hash };
  }
  return undefined;
}
