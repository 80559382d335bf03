import type { Logger } from "pino";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { epochOf } from "../../ledger/state/epoch.js";
import type { LedgerFollower } from "../execution/ledger-follower.js";
import { finalizationProvenBy } from "../finality/finalization-proof.js";
import { hashesTo } from "../finality/proven-chain.js";
import { LARGEST_RANGE } from "../step/range-limit.js";

/**
 * Looks for votes that prove a rejected block: the proof of its epoch, verified with the voters of our own state, and
 * the links from the block to the final one. If there are, the ledger accepts it, whatever its checks say.
 *
 * @returns whether the block is to be tried again: not if votes had proven it before, or do not yet
 */
export async function overruleByVotes(
  error: unknown,
  { node, ledger, log }: { readonly node: NodeClient; readonly ledger: LedgerFollower; readonly log: Logger },
): Promise<boolean> {
  if (!(error instanceof BlockRejectedError) || ledger.isProvenAndRejected(error.height)) return false;
  const { height, message } = error;
  const hashes = await provenFrom(height, { node, ledger, log });
  if (!hashes || !ledger.provenBlocks.add(hashes)) return false;
  const finalHeight = height + hashes.length - 1;
  log.warn({ height, reason: message, finalHeight }, "Votes prove a block that this program rejects");
  return true;
}

/** Hashes of the blocks from `height` on that votes prove; undefined if there are none, or the node does not show them. */
export async function provenFrom(
  height: number,
  { node, ledger, log }: { readonly node: NodeClient; readonly ledger: LedgerFollower; readonly log: Logger },
): Promise<Buffer[] | undefined> {
  const config = ledger.ledger?.config;
  if (!config) return undefined;
  try {
    const epoch = epochOf(height, config.votingSetGrouping);
    const voters = ledger.votingSet(epoch);
    const proof = voters && (await node.finalizationProofAtEpoch(epoch));
    const final = proof && finalizationProvenBy(proof, voters, config, node.connectedNode?.node);
    if (!final || final.height < height) return undefined;
    return await hashesTo(final, blocksOf(node, height, final.height));
  } catch (problem) {
    const isOfNode = problem instanceof FinalizationProofError || problem instanceof NodeError;
    if (!isOfNode && !(problem instanceof NodeUnavailableError)) throw problem;
    log.debug({ err: problem }, "The node has no votes that prove the next block");
    return undefined;
  }
}

async function* blocksOf(node: NodeClient, from: number, to: number) {
  for (let next = from; next <= to; ) {
    const blocks = await node.blocks(next, {
      ...LARGEST_RANGE,
      maxBlocks: Math.min(LARGEST_RANGE.maxBlocks, to - next + 1),
    });
    if (blocks.length === 0) return;
    next += blocks.length;
    yield blocks.map((bytes) => ({ bytes }));
  }
}
