import type { Logger } from "pino";
import type { NetworkIdentity } from "../../../catapult/entity/model.js";
import { BlockRejectedError } from "../../../catapult/verify/block-rejected-error.js";
import { verifyBlock } from "../../../catapult/verify/verify.js";
import { NodeError, NodeUnavailableError } from "../../../catapult/wire/errors.js";
import type { NodeClient } from "../../../catapult/wire/node-client.js";
import type { Head } from "../../../database/queries/head.js";
import { epochOf } from "../../../ledger/config/finalization-config.js";
import type { NetworkConfig } from "../../../ledger/config/network-config.js";
import { ChainState } from "../../../ledger/engine/chain-state.js";
import { headerMatch } from "../../../ledger/engine/header-match.js";
import {
  FinalizationProofError,
  type ProofRules,
  type VotedBranch,
} from "../../../ledger/finalization/verify-proof.js";
import { type VotingSet, votingSetAfter } from "../../../ledger/finalization/voting-set.js";
import { branchProvenBy, type ComparedChain, FIRST_VOTED_EPOCH, hashOf, provenHashes } from "../finality/votes.js";
import { LARGEST_RANGE } from "../step/range-limit.js";
import { provenOutcome } from "./executed-chain.js";
import type { Executor } from "./executor.js";

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
export interface VotesOptions extends VoteSource {
  readonly network: NetworkIdentity;
  readonly ledger: Executor;
  readonly log: Logger;
}

/** A node, or what it once sent. */
export interface VoteSource {
  /** Bytes of the blocks from `first` on, at most up to `last`: as many as arrive at once. */
  readonly read: ComparedChain["read"];
  /** What the votes of an epoch prove, signed by these voters; undefined if there are none for `height` or above it. */
  readonly branchTo: (height: number, epoch: number, voters: VotingSet) => Promise<VotedBranch | undefined>;
}

/** Votes of a node. */
export function votesOf(node: NodeClient, rules: () => ProofRules | undefined): VoteSource {
  return {
    read: (first, last) => node.blocks(first, { ...LARGEST_RANGE, maxBlocks: last - first + 1 }),
    branchTo: async (_, epoch, voters) => {
      const proof = await node.finalizationProofAtEpoch(epoch);
      const known = rules();
      return proof && known && branchProvenBy(proof, voters, known, node.connectedNode?.node);
    },
  };
}

/** Hashes of the blocks from `height` on that votes prove; undefined if there are none, or the source does not show them. */
export async function provenFrom(
  height: number,
  { network, ledger, log, read, branchTo }: VotesOptions,
): Promise<Buffer[] | undefined> {
  const config = ledger.ledger?.config;
  if (!config) return undefined;
  try {
    const epoch = Math.max(FIRST_VOTED_EPOCH, epochOf(height, config.votingSetGrouping));
    const [first] = height === 1 ? await read(1, 1) : [];
    const voters = first ? firstVoters(first, network, config) : ledger.votingSet(epoch);
    const branch = voters && (await branchTo(height, epoch, voters));
    if (!branch) return undefined;
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

/**
 * The voters of the first epoch with votes, if the first block is executed whatever our checks and its hashes say.
 *
 * @throws BlockRejectedError when its bytes are invalid by themselves
 */
export function firstVoters(bytes: Buffer, network: NetworkIdentity, config: NetworkConfig): VotingSet | undefined {
  const state = new ChainState(config);
  verifyBlock({
    bytes,
    statementBytes: Buffer.alloc(0),
    network,
    onInvalidSignature: () => undefined,
    execute: (block) => {
      const executed = state.execute(block, undefined, []);
      return provenOutcome(executed, headerMatch(executed, block.entity));
    },
  });
  return votingSetAfter(state.tables, config, 1);
}

/**
 * While our state differs from the network's, our checks say nothing about the next blocks: those that votes prove are
 * followed, and no others.
 */
export class ProvenBlocks {
  readonly #options: Omit<VotesOptions, "ledger">;
  #provenTo = 0;

  constructor(options: Omit<VotesOptions, "ledger">) {
    this.#options = options;
  }

  /**
   * Height up to which votes prove the blocks after the head, where the ledger is; that of the head if they prove none.
   *
   * @param finalizedHeight of the node
   */
  async provenTo(ledger: Executor, { height }: Head, finalizedHeight: number): Promise<number> {
    if (this.#provenTo <= height && finalizedHeight > height) {
      const hashes = await provenFrom(height + 1, { ...this.#options, ledger });
      if (hashes) {
        ledger.provenBlocks.add(hashes);
        this.#provenTo = height + hashes.length;
      }
    }
    return Math.max(height, this.#provenTo);
  }
}
