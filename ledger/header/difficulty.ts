import type { NetworkConfig } from "../state/network-config.js";

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
  const scaled = (average * targetTime) / BigInt(last.timestamp - first.timestamp);
  return clamp(
    clamp(scaled, (19n * last.difficulty) / 20n, (21n * last.difficulty) / 20n),
    MIN_DIFFICULTY,
    MAX_DIFFICULTY,
  );
}

function clamp(value: bigint, low: bigint, high: bigint): bigint {
  if (value < low) return low;
  return value > high ? high : value;
}
