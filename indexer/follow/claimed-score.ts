import { blockScore } from "../../catapult/entity/block.js";
import type { VerifiedBlock } from "../../catapult/entity/model.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { type ChainStatistics, scoreOf } from "../../catapult/wire/requests.js";
import type { Db } from "../../database/database.js";
import type { LedgerFollower } from "../execution/ledger-follower.js";
import { ClaimedScoreError } from "../nodes/node-fault.js";
import type { ChainPosition } from "../step/chain-position.js";
import { type FetchOptions, fetchBlocks, type Parent } from "./fetch.js";
import { positionAt, readPosition } from "./head-row.js";

/** A verified block of a chain, with the score of the chain up to it. */
interface ScoredPosition extends Parent {
  readonly score: bigint;
}

export interface BranchClaim {
  /** The score that the branch must exceed. */
  readonly score: bigint;
  /** The last block that the node's chain has in common with the index. */
  readonly base: ChainPosition;
  /** The verified blocks after it; the ledger is after the last of them. */
  readonly blocks: readonly VerifiedBlock[];
  readonly claimed: ChainStatistics;
}

/**
 * Verifies that a node's branch has a higher score. Where the first blocks do not show it, more are
 * fetched, verified like all others, and forgotten, until the score is higher; afterwards the ledger is where it was. So
 * memory does not grow with their bytes, and no block is dropped before all this is verified.
 *
 * @returns the verified score; undefined if it is not higher, and the node left the branch meanwhile
 * @throws ClaimedScoreError if all blocks of the branch have a lower score than the node claims, and not a higher one;
 * otherwise like `fetchBlocks`
 */
export async function verifyHigherScore(
  options: FetchOptions & { readonly db: Db; readonly ledger: Pick<LedgerFollower, "rehearse"> },
  { score, base, blocks, claimed }: BranchClaim,
): Promise<bigint | undefined> {
  const first = scoreAfter(await readPosition(options.db, base), blocks);
  if (first.score > score) return first.score;
  const tip = await options.ledger.rehearse(climb);
  if (tip.score > score) return tip.score;
  await disprove(options.node, claimed, tip);
  return undefined;

  async function climb(): Promise<ScoredPosition> {
    let last: ScoredPosition = first;
    while (last.score <= score && last.height < claimed.height) {
      const next = await fetchBlocks(last, options);
      if (next.length === 0) break;
      last = scoreAfter(last, next);
    }
    return last;
  }
}

/**
 * Verifies the claim of a node whose newest block is in the index.
 *
 * @throws ClaimedScoreError if the claimed score is higher than that of the block
 */
export async function checkScoreOfIndexed(db: Db, node: NodeClient, claimed: ChainStatistics): Promise<void> {
  const indexed = await positionAt(db, claimed.height);
  if (scoreOf(claimed) > indexed.score) await disprove(node, claimed, indexed);
}

/** A node may switch to another branch at any time: its claim is false only if it repeats it for these blocks. */
async function disprove(node: NodeClient, claimed: ChainStatistics, verified: ScoredPosition): Promise<void> {
  const [again, [hash]] = await Promise.all([node.chainStatistics(), node.blockHashes(verified.height, 1)]);
  const isRepeated = again.height === claimed.height && scoreOf(again) === scoreOf(claimed);
  if (!isRepeated || !hash?.equals(verified.hash)) return;
  throw ClaimedScoreError.disproved({ height: claimed.height, score: scoreOf(claimed) }, verified);
}

function scoreAfter(parent: ScoredPosition, blocks: readonly VerifiedBlock[]): ScoredPosition {
  return blocks.reduce<ScoredPosition>(
    (last, block) => ({
      height: block.height,
      hash: block.hash,
      timestamp: block.timestamp,
      score: last.score + blockScore(last, block),
    }),
    parent,
  );
}
