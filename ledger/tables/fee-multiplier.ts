import type { NetworkConfig } from "../config/network-config.js";
import type { ChainTables } from "./chain-tables.js";

/**
 * After a block: updates the factor of rental fees. It is the median of the last blocks' fee multipliers, where the
 * network's default replaces those that are 0 or missing (catapult `BlockStatisticObserver`).
 */
export function updateDynamicFeeMultiplier(tables: ChainTables, config: NetworkConfig, feeMultiplier: number): void {
  const recent = [feeMultiplier, ...tables.feeMultipliers.get()].slice(0, config.maxDifficultyBlocks);
  tables.feeMultipliers.set(recent);
  tables.dynamicFeeMultiplier.set(dynamicFeeMultiplier(config, recent));
}

/** The factor for the multipliers of the last blocks, newest first. */
export function dynamicFeeMultiplier(config: NetworkConfig, recent: readonly number[]): number {
  const { maxDifficultyBlocks: count, defaultDynamicFeeMultiplier } = config;
  const sample = recent.filter((multiplier) => multiplier !== 0);
  while (sample.length < count) sample.push(defaultDynamicFeeMultiplier);
  sample.sort((left, right) => left - right);
  return sample[Math.floor(count / 2)] ?? defaultDynamicFeeMultiplier;
}
