export interface CounterTable {
  collection: number;
  key: Buffer;
  count: number;
}
export interface MilestoneTable {
  collection: number;
  key: Buffer;
  /** The entry's number in its list, from 1; always a multiple of MILESTONE_STEP. */
  ordinal: number;
  id: Buffer;
}

/** Entries of a list of state whose ids lie in one span; there is no row for a span without entries. */
export interface SpanTable {
  collection: number;
  key: Buffer;
  start: Buffer;
  count: number;
}
