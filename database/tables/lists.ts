import type { EntityId } from "./chain.js";

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
  /** Of an entity, or the height of a block. */
  id: EntityId;
}

/** Number of entries of a list of state whose ids are in one span; empty spans have no row. */
export interface SpanTable {
  collection: number;
  key: Buffer;
  start: Buffer;
  count: number;
}
