import type { Block } from "../../catapult/entity/model.js";
import { BLOCK_TYPE } from "../../catapult/structs/type-names.js";
import { BlockRejectedError } from "../../catapult/verify/block-rejected-error.js";
import type { NetworkConfig } from "../config/network-config.js";
import type { ChainState } from "../engine/chain-state.js";
import { computeImportanceHeight, type ImportanceCounts } from "../tables/importance.js";
import { nextDifficulty } from "./difficulty.js";
import { type GenerationTerms, generationTerms } from "./generation-rules.js";
import type { HeaderWindow } from "./header-window.js";

/**
 * Verifies the header of the next block against its parents and the state before it: type, difficulty and harvester. The
 * parent link is verified by `verifyBlock`. Nothing is verified for the first block, which all nodes start from. Whether
 * the harvester's balance is within its limits is a rule of execution: it counts after the block's transactions. Source:
 * catapult's `consumers/BlockchainProcessor.cpp`, `chain/ChainUtils.cpp`, `plugins/coresystem/src/validators`.
 *
 * @returns what remains to be verified of the generation hash: it is most of the work, and needs no state. Undefined for
 *   the first block
 * @throws BlockRejectedError naming the field
 */
export function verifyHeader(block: Block, parents: HeaderWindow, state: ChainState): GenerationTerms | undefined {
  const { height, difficulty } = block;
  const { config } = state;
  const parent = parents.head;
  if (height === 1) return undefined;
  if (parent?.height !== height - 1) throw new RangeError(`the parent of block ${height} is not among the headers`);
  const reject = (field: string, problem: string): never => {
    throw new BlockRejectedError(height, field, problem);
  };

  const type = blockTypeAt(height, config.importanceGrouping);
  if (block.entity.type !== type) reject("type", `is ${hexOf(block.entity.type)} instead of ${hexOf(type)}`);
  const expected = nextDifficulty(parents.last(config.maxDifficultyBlocks), config);
  if (difficulty !== expected) reject("difficulty", `is ${difficulty} instead of ${expected}`);
  return generationTerms(block, parent, state);
}

/**
 * Verifies the footer of an importance block against the state after it; other blocks have none. Source: catapult's
 * `ImportanceBlockValidator.cpp`.
 *
 * @param parents the previous blocks
 * @throws BlockRejectedError naming the field
 */
export function verifyFooter(
  block: Block,
  parents: HeaderWindow,
  figures: () => ImportanceCounts,
  config: NetworkConfig,
): void {
  const { height, entity } = block;
  const footer = entity.importance;
  if (!footer) return;
  const expected = figures();
  const claims: readonly (readonly [string, bigint, bigint])[] = [
    [
      "votingEligibleAccountsCount",
      BigInt(footer.votingEligibleAccountsCount),
      BigInt(expected.votingEligibleAccountsCount),
    ],
    [
      "harvestingEligibleAccountsCount",
      BigInt(footer.harvestingEligibleAccountsCount),
      expected.harvestingEligibleAccountsCount,
    ],
    ["totalVotingBalance", footer.totalVotingBalance, expected.totalVotingBalance],
  ];
  for (const [field, actual, right] of claims) {
    if (actual !== right) throw new BlockRejectedError(height, field, `is ${actual} instead of ${right}`);
  }
  const previous = height === 1 ? undefined : parents.at(computeImportanceHeight(height, config.importanceGrouping));
  if (previous && !previous.hash.equals(footer.previousImportanceBlockHash)) {
    throw new BlockRejectedError(height, "previousImportanceBlockHash", `is not the hash of block ${previous.height}`);
  }
}

/** The type of the block at a height: every `importanceGrouping`-th one is an importance block. */
export function blockTypeAt(height: number, importanceGrouping: number): number {
  if (height === 1) return BLOCK_TYPE.nemesis;
  return height % importanceGrouping === 0 ? BLOCK_TYPE.importance : BLOCK_TYPE.normal;
}

/** Number of previous blocks that a block's header rules may need. */
export function headersNeeded({ maxDifficultyBlocks, importanceGrouping }: NetworkConfig): number {
  return Math.max(maxDifficultyBlocks, importanceGrouping) + 1;
}

function hexOf(type: number): string {
  return `0x${type.toString(16)}`;
}
