import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import { verifyBlock } from "../../../catapult/verify/verify.js";
import { NodeError, NodeUnavailableError } from "../../../catapult/wire/errors.js";
import { computeEpoch } from "../../../ledger/config/finalization-config.js";
import type { NetworkConfig } from "../../../ledger/config/network-config.js";
import { ChainState } from "../../../ledger/engine/chain-state.js";
import { FinalizationProofError } from "../../../ledger/finalization/verify-proof.js";
import { type VotingSet, votingSetAfter } from "../../../ledger/finalization/voting-set.js";
import { FIRST_VOTED_EPOCH, provenHashes, readBlockHash, type VotedBranches } from "../finality/votes.js";
import type { Source } from "../source/source.js";
import type { IndexContext } from "../step/index-context.js";
import type { Executor } from "./executor.js";

/** Where the blocks are that votes may prove, and whose voters count. */
interface VotesContext extends Pick<IndexContext, "network" | "config" | "log"> {
  readonly source: Pick<Source, "blocks">;
  readonly ledger: Executor;
}

/** Hashes of the blocks from `height` on that votes prove; undefined if there are none, or the source does not show them. */
export async function provenFrom(
  height: number,
  { network, config, log, source, ledger }: VotesContext,
  branches: VotedBranches,
): Promise<Buffer[] | undefined> {
  try {
    const epoch = Math.max(FIRST_VOTED_EPOCH, computeEpoch(height, config.votingSetGrouping));
    const [first] = height === 1 ? await source.blocks(1, 1) : [];
    const voters = first ? firstVoters(first, network, config) : ledger.votingSet(epoch);
    const branch = await branches.branchTo(height, epoch, voters);
    if (!branch) return undefined;
    const hashes = await provenHashes(branch, height, source, network);
    if (!hashes) return undefined;
    // Votes may be for blocks outside the node's chain.
    const [block] = await source.blocks(height, height);
    return block && readBlockHash(block)?.equals(hashes[0]!) ? hashes : undefined;
  } catch (problem) {
    if (!OF_NODE.some((type) => problem instanceof type)) throw problem;
    log.debug({ err: problem }, "The node has no votes that prove the next block");
    return undefined;
  }
}

/** Errors that only mean that this node shows no votes. */
const OF_NODE = [FinalizationProofError, NodeError, NodeUnavailableError, BlockRejectedError];

/**
 * The voters of the first epoch with votes, if the first block is executed whatever our checks and its hashes say.
 *
 * @throws BlockRejectedError when its bytes are invalid by themselves
 */
function firstVoters(bytes: Buffer, network: NetworkIdentity, config: NetworkConfig): VotingSet | undefined {
  const state = new ChainState(config);
  verifyBlock({
    bytes,
    statementBytes: Buffer.alloc(0),
    network,
    isProven: true,
    execute: (block) => {
      const { statement } = state.execute(block, undefined, true);
      return { statement, subCacheMerkleRoots: [] };
    },
  });
  return votingSetAfter(state.tables, config, 1);
}
