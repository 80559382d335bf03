/** The last block of a finalization epoch (catapult `model::CalculateVotingSetEndHeight`). */
export function epochEnd(epoch: number, votingSetGrouping: number): number {
  return epoch <= 1 ? 1 : (epoch - 1) * votingSetGrouping;
}

/** The finalization epoch of block `height` (catapult `model::CalculateFinalizationEpochForHeight`). */
export function epochOf(height: number, votingSetGrouping: number): number {
  return height === 1 ? 1 : Math.floor((height - 1) / votingSetGrouping) + 2;
}
