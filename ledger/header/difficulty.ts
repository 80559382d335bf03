import type { NetworkConfig } from "../config/network-config.js";

const DEFAULT_DIFFICULTY = 100_000_000_000_000n;
const MIN_DIFFICULTY = DEFAULT_DIFFICULTY / 10n;
const MAX_DIFFICULTY = DEFAULT_DIFFICULTY * 10n;

/** The data of an earlier block for the difficulty rule. `timestamp` in ms since the network's epoch. */
export interface BlockStatistic {
  readonly timestamp: number;
  readonly difficulty: bigint;
}

/**
 * The difficulty of the block after `statistics` (the last blocks of the chain, oldest first): the average
 * difficulty, scaled by target time to actual time, at most 5 % away from the last one (catapult
 * `chain/BlockDifficultyScorer`).
 */
export function nextDifficulty(
  statistics: readonly BlockStatistic[],
  rules: Pick<NetworkConfig, "blockGenerationTargetTime">,
): bigint {
  const first = statistics[0];
  const last = statistics.at(-1);
  if (statistics.length < 2 || !first || !last) return DEFAULT_DIFFICULTY;

  const sum = statistics.reduce((total, { difficulty }) => total + difficulty, 0n);
  const average = sum / BigInt(statistics.length);
  const targetTime = BigInt(rules.blockGenerationTargetTime) * BigInt(statistics.length - 1);
  // A product of 128 bits is cut to 64; 20 times the result is compared, with 64 bits too.
  const scaled = uint64((average * targetTime) / BigInt(last.timestamp - first.timestamp));
  const [lowest, highest] = [19n * last.difficulty, 21n * last.difficulty];
  if (uint64(20n * scaled) < lowest) return clamped(lowest / 20n);
  if (uint64(20n * scaled) > highest) return clamped(highest / 20n);
  return clamped(scaled);
}

function clamped(difficulty: bigint): bigint {
  if (difficulty < MIN_DIFFICULTY) return MIN_DIFFICULTY;
  return difficulty > MAX_DIFFICULTY ? MAX_DIFFICULTY : difficulty;
}

function uint64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
