/** One row while the indexer cannot continue, otherwise none. */
export interface IndexerFailureTable {
  id: 1;
  /** Height of the rejected block; null if the failure belongs to none. */
  height: number | null;
  reason: string;
}
