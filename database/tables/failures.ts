/** One row while the indexer cannot continue: no row when it can. */
export interface IndexerFailureTable {
  id: 1;
  /** Of the block that cannot be written; null where the failure belongs to none. */
  height: number | null;
  reason: string;
}
