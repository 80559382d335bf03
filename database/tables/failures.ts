/** One row while the indexer cannot continue, otherwise none. */
export interface IndexerFailureTable {
  id: 1;
  /** Height of the rejected block; null if the failure belongs to none. */
  height: number | null;
  reason: string;
}

/** One row while the nodes' finalization proofs are invalid by the voters of our own state, otherwise none. */
export interface UnprovenFinalizationTable {
  id: 1;
  reason: string;
}
