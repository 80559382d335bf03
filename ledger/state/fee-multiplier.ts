import type { ChainTables } from "./chain-tables.js";
import type { NetworkConfig } from "./network-config.js";

/**
 * After a block: what rental fees are multiplied by from now on. It is the median of the last blocks' fee multipliers,
 * where the network's default stands for those that are 0 or not there yet (catapult `BlockStatisticObserver`).
 */
export function updateDynamicFeeMultiplier(tables: ChainTables, config: NetworkConfig, feeMultiplier: number): void {
  const { maxDifficultyBlocks: count, defaultDynamicFeeMultiplier } = config;
  const recent = [feeMultiplier, ...tables.feeMultipliers.get()].slice(0, count);
  tables.feeMultipliers.set(recent);
  const sample = recent.filter((multiplier) => multiplier !== 0);
  while (sample.length < count) sample.push(defaultDynamicFeeMultiplier);
  sample.sort((left, right) => left - right);
  tables.dynamicFeeMultiplier.set(sample[Math.floor(count / 2)] ?? defaultDynamicFeeMultiplier);
}
