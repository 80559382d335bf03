import type { Logger } from "pino";
import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { BlockRejectedError } from "../../../catapult/verify/verify.js";
import type { Executor } from "../execution/executor.js";
import type { Source } from "../source/source.js";
import type { ChainPosition } from "../step/chain-position.js";

/**
 * The required parent of the next block. The timestamp is in ms since the epoch adjustment, 0 before the nemesis
 * block.
 */
export interface Parent extends ChainPosition {
  readonly timestamp: number;
}

export interface FetchOptions {
  readonly source: Pick<Source, "blocks" | "blockHashes">;
  readonly log: Logger;
  /** The last block that is wanted; by default all are. */
  readonly to?: number | undefined;
  /** Executes the blocks. */
  readonly ledger: Pick<Executor, "verify">;
}

/**
 * The next blocks after `parent`, each verified before it is returned: as many as arrive at once.
 * @returns an empty list when there are none, or the source has left this branch meanwhile (the next round will show)
 * @throws BlockRejectedError when a block of the source's current branch is invalid; errors of the connection as they
 * are
 */
export async function fetchBlocks(parent: Parent, options: FetchOptions): Promise<VerifiedBlock[]> {
  const { source, log, to = Number.POSITIVE_INFINITY, ledger } = options;
  const parts = await source.blocks(parent.height + 1, to);
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
      if (error.field === "previousHash" && (await hasOtherBlock(options, parent))) {
        log.debug({ height: parent.height }, "The node switched to another branch while blocks were requested");
        return [];
      }
      throw error;
    }
  }
  return verified;
}

/** Whether the source has left the branch of `parent`: then its next block rightly follows another one. */
async function hasOtherBlock({ source }: FetchOptions, { height, hash }: Parent): Promise<boolean> {
  const [theirs] = await source.blockHashes(height, 1);
  return theirs !== undefined && !theirs.equals(hash);
}

/** A node may switch branch between two requests: then a rejected block belongs to no branch at all. */
async function branchMoved({ source }: FetchOptions, height: number, rejected: Buffer): Promise<boolean> {
  const [bytes] = await source.blocks(height, height);
  return !bytes?.equals(rejected);
}
