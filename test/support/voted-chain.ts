import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import {
  FinalizationStage,
  type FinalizedRound,
  type VotingKeys,
  writeFinalizationProof,
} from "../../devnet/chain/finalization-proof.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { BranchNode, type ServedBlock } from "./branch-node.js";
import { DevnetFixture } from "./devnet.js";
import { devnetBlocks, devnetConfig } from "./devnet-execution.js";
import { IndexedDatabase } from "./indexer-fixture.js";
import { StateNode } from "./state-node.js";

/** Blocks of an epoch. */
const GROUPING = 10;

/** A devnet's chain with the votes for it, and nodes that serve parts of it to indexes, all of which `close` ends. */
export class VotedChain {
  readonly fixture: DevnetFixture;
  /** The network's rules. */
  readonly right: NetworkConfig;
  /** From the first one on. */
  readonly blocks: readonly ServedBlock[];
  readonly #proofs = new Map<number, Buffer>();
  readonly #closers: (() => Promise<unknown>)[] = [];

  private constructor(fixture: DevnetFixture, right: NetworkConfig, blocks: readonly ServedBlock[]) {
    this.fixture = fixture;
    this.right = right;
    this.blocks = blocks;
  }

  /** Lets `write` create blocks, and the voters vote for these heights, which are in ascending order. */
  static async record(
    seed: string,
    write: (fixture: DevnetFixture) => Promise<void>,
    heights: readonly number[],
  ): Promise<VotedChain> {
    const fixture = await DevnetFixture.start({ seed, rules: { votingSetGrouping: GROUPING } });
    await write(fixture);
    const chain = new VotedChain(fixture, await devnetConfig(fixture.devnet), await devnetBlocks(fixture));
    for (const height of heights) await chain.finalize(height);
    return chain;
  }

  /** Lets the voters vote for a block. */
  async finalize(height: number): Promise<void> {
    const { devnet, client } = this.fixture;
    devnet.finalize(height);
    const proof = await client.finalizationProofAtEpoch(epochOf(height));
    if (proof) this.#proofs.set(height, proof);
  }

  /** A node with the first block, or with other bytes for the blocks of this chain. */
  async serve(bytes?: readonly ServedBlock[]): Promise<BranchNode> {
    const { network } = this.fixture.devnet;
    const node = await BranchNode.start({ network, blocks: bytes ? this.blocks : this.blocks.slice(0, 1) });
    if (bytes) node.serve(bytes);
    this.#closers.push(() => node.close());
    return node;
  }

  /** Lets a node have the chain up to `height` with its state, and votes up to `finalHeight`. */
  show(node: BranchNode, height: number, finalHeight: number, { blocks = this.blocks } = {}): void {
    new StateNode(node, this.right).switchTo(blocks.slice(0, height));
    this.showVotes(node, finalHeight);
  }

  /** Lets a node have the votes up to `finalHeight`. */
  showVotes(node: BranchNode, finalHeight: number): void {
    const heights = [...this.#proofs.keys()].filter((height) => height <= finalHeight);
    node.showProofs(new Map(heights.map((height) => [epochOf(height), this.#proofs.get(height)!])));
    const { epoch, point } = decodeFinalizationProof(this.#proofs.get(finalHeight)!);
    node.finalize({ epoch, point, height: finalHeight });
  }

  async createIndex(): Promise<IndexedDatabase> {
    const index = await IndexedDatabase.create();
    this.#closers.push(() => index.drop());
    return index;
  }

  /** An index that has followed a node with the right rules. */
  async reference(node: BranchNode, height: number): Promise<IndexedDatabase> {
    const index = await this.createIndex();
    await index.follow(node.address, { execution: { configOf: () => this.right } });
    await isFinalAt(index, height);
    await index.stop();
    return index;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
    await this.fixture.stop();
  }
}

/** Waits until the head of an index is final at this height. */
export async function isFinalAt(index: IndexedDatabase, height: number): Promise<void> {
  await index.waitFor((head) => head.height === height && head.finalization.height === height);
}

function epochOf(height: number): number {
  return Math.ceil(height / GROUPING) + 1;
}

/** A proof with the votes of one voter for one block. */
export function proofBy(voter: VotingKeys, round: FinalizedRound): Buffer {
  const { height, hash } = round;
  const stages = [FinalizationStage.prevote, FinalizationStage.precommit];
  return writeFinalizationProof(
    round,
    stages.map((stage) => ({ stage, height, hashes: [hash], voters: [voter] })),
  );
}
