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
 * the links from the block to the final one. If there are, the ledger accepts it without its checks; its hashes are
 * verified as before.
 *
 * @returns whether the block is to be tried again: not if votes had proven it before, or do not yet
 */
export async function overruleByVotes(
  error: unknown,
  { node, ledger, log }: { readonly node: NodeClient; readonly ledger: LedgerFollower; readonly log: Logger },
): Promise<boolean> {
  const config = ledger.ledger?.config;
  if (!(error instanceof BlockRejectedError) || !config || ledger.isProvenAndRejected(error.height)) return false;
  const { height, message } = error;
  try {
    const epoch = epochOf(height, config.votingSetGrouping);
    const voters = ledger.votingSet(epoch);
    const proof = voters && (await node.finalizationProofAtEpoch(epoch));
    const final = proof && finalizationProvenBy(proof, voters, config, node.connectedNode?.node);
    if (!final || final.height < height) return false;
    const hashes = await hashesTo(final, blocksOf(node, height, final.height));
    if (!hashes || !ledger.provenBlocks.add(hashes)) return false;
    log.warn({ height, reason: message, finalHeight: final.height }, "Votes prove a block that this program rejects");
    return true;
  } catch (problem) {
    const isOfNode = problem instanceof FinalizationProofError || problem instanceof NodeError;
    if (!isOfNode && !(problem instanceof NodeUnavailableError)) throw problem;
    log.debug({ err: problem }, "The node has no votes that prove the rejected block");
    return false;
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
