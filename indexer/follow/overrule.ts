import type { Logger } from "pino";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import { NodeError, NodeUnavailableError } from "../../catapult/wire/errors.js";
import type { NodeClient } from "../../catapult/wire/node-client.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { epochOf } from "../../ledger/state/epoch.js";
import { FIRST_VOTED_EPOCH, firstVoters } from "../execution/first-voters.js";
import type { LedgerFollower } from "../execution/ledger-follower.js";
import { hashOf, provenHashes } from "../finality/proven-chain.js";
import { branchProvenBy } from "../finality/voted-branch.js";
import { LARGEST_RANGE } from "../step/range-limit.js";

/**
 * Looks for votes that prove a rejected block: the proof of its epoch, verified with the voters of our own state, and
 * the links from the block to those that the votes name. If there are, the ledger accepts it, whatever its checks say.
 *
 * @returns whether the block is to be tried again: not if votes had proven it before, or do not yet
 */
export async function overruleByVotes(error: unknown, options: VotesOptions): Promise<boolean> {
  const { ledger, log } = options;
  if (!(error instanceof BlockRejectedError) || ledger.isProvenAndRejected(error.height)) return false;
  const { height, message } = error;
  const hashes = await provenFrom(height, options);
  if (!hashes || !ledger.provenBlocks.add(hashes)) return false;
  const finalHeight = height + hashes.length - 1;
  log.warn({ height, reason: message, finalHeight }, "Votes prove a block that this program rejects");
  return true;
}

/** Where votes are looked for, and with whose voters they are verified. */
export interface VotesOptions {
  readonly node: NodeClient;
  readonly network: NetworkIdentity;
  readonly ledger: LedgerFollower;
  readonly log: Logger;
}

/** Hashes of the blocks from `height` on that votes prove; undefined if there are none, or the node does not show them. */
export async function provenFrom(
  height: number,
  { node, network, ledger, log }: VotesOptions,
): Promise<Buffer[] | undefined> {
  const config = ledger.ledger?.config;
  if (!config) return undefined;
  try {
    const epoch = Math.max(FIRST_VOTED_EPOCH, epochOf(height, config.votingSetGrouping));
    const [first] = height === 1 ? await node.blocks(1, { ...LARGEST_RANGE, maxBlocks: 1 }) : [];
    const voters = first ? firstVoters(first, network, config) : ledger.votingSet(epoch);
    const proof = voters && (await node.finalizationProofAtEpoch(epoch));
    if (!proof) return undefined;
    const branch = branchProvenBy(proof, voters, config, node.connectedNode?.node);
    const read = (from: number, to: number) => node.blocks(from, { ...LARGEST_RANGE, maxBlocks: to - from + 1 });
    const hashes = await provenHashes(branch, height, { network, read });
    if (!hashes) return undefined;
    // Votes may be for blocks outside the node's chain.
    const [block] = await read(height, height);
    return block && hashOf(block)?.equals(hashes[0]!) ? hashes : undefined;
  } catch (problem) {
    if (!OF_NODE.some((type) => problem instanceof type)) throw problem;
    log.debug({ err: problem }, "The node has no votes that prove the next block");
    return undefined;
  }
}

/** Errors that only mean that this node shows no votes. */
const OF_NODE = [FinalizationProofError, NodeError, NodeUnavailableError, BlockRejectedError];
