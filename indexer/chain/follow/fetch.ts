import type { Logger } from "pino";
import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { BlockRejectedError } from "../../../catapult/verify/verify.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";
import type { Executor } from "../execution/executor.js";
import type { ChainPosition } from "../step/chain-position.js";
import type { RangeLimit } from "../step/range-limit.js";

/**
 * The required parent of the next block. The timestamp is in ms since the epoch adjustment, 0 before the nemesis
 * block.
 */
export interface Parent extends ChainPosition {
  readonly timestamp: number;
}

export interface FetchOptions {
  readonly node: NodeClient;
  readonly log: Logger;
  /** Size of one request; a node sends at most 42 blocks by default. */
  readonly range: RangeLimit;
  /** The last block that is wanted; by default all are. */
  readonly to?: number | undefined;
  /** Executes the blocks. */
  readonly ledger: Pick<Executor, "verify">;
}

/**
 * The next blocks after `parent`, each verified before it is returned: as many as the node sends at once.
 * @returns an empty list when the node has none, or has left this branch meanwhile (the next round will show)
 * @throws BlockRejectedError when a block of the node's current branch is invalid; errors of the connection as they
 * are
 */
export async function fetchBlocks(parent: Parent, options: FetchOptions): Promise<VerifiedBlock[]> {
  const { node, log, range, to = Number.POSITIVE_INFINITY, ledger } = options;
  const parts = await range.request(({ maxBlocks, maxBytes }) =>
    node.blocks(parent.height + 1, { maxBlocks: Math.min(maxBlocks, to - parent.height), maxBytes }),
  );
  const verified: VerifiedBlock[] = [];
  let previous: Parent = parent;
  for (const bytes of parts) {
    try {
      const block = ledger.verify({ bytes, parent: previous });
      verified.push(block);
      previous = block;
    } catch (error) {
      if (!(error instanceof BlockRejectedError)) throw error;
      // Blocks before it are valid and are written first; the next round begins with the invalid one.
      if (verified.length > 0 || (await branchMoved(options, previous.height + 1, bytes))) return verified;
      if (error.field === "previousHash" && (await hasOtherBlock(node, parent))) {
        log.debug({ height: parent.height }, "The node switched to another branch while blocks were requested");
        return [];
      }
      throw error;
    }
  }
  return verified;
}

/** Whether the node has left the branch of `parent`: then its next block rightly follows another one. */
async function hasOtherBlock(node: NodeClient, { height, hash }: Parent): Promise<boolean> {
  const [theirs] = await node.blockHashes(height, 1);
  return theirs !== undefined && !theirs.equals(hash);
}

/** A node may switch branch between two requests: then a rejected block belongs to no branch at all. */
async function branchMoved({ node }: FetchOptions, height: number, rejected: Buffer): Promise<boolean> {
  const [bytes] = await node.blocks(height, { maxBlocks: 1, maxBytes: rejected.length });
  return !bytes?.equals(rejected);
}
