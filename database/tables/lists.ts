import type { EntityId } from "./chain.js";
import type { Numeric } from "./embedded-flag.js";

/** Number of entries of a list of the chain. */
export interface ListCounterTable {
  /** See `listNumber`. */
  list: number;
  count: number;
}

export interface SkipPointerTable {
  list: number;
  /** The entry's number in its list, from 1; always a multiple of SKIP_POINTER_STEP. */
  ordinal: number;
  /** The id of an entity, or the height of a block. */
  id: EntityId;
}

/** Number of entries of a list of state. */
export interface CounterTable {
  collection: number;
  key: Buffer;
  count: number;
}

/** Number of entries of a list of state whose ids are in one bucket; empty buckets have no row. */
export interface ListBucketTable {
  collection: number;
  key: Buffer;
  start: Buffer;
  count: number;
}

/** A sum over the rows of a UTC day, written once, when a block after that day is final. */
export interface DailySumTable {
  /** See `DailyMeasure`. */
  measure: number;
  day: Date;
  /** Number of a mosaic, or 0. */
  mosaic: number;
  /** What the measure is by, or 0. */
  key: number;
  count: number;
  /** Atomic units. */
  amount: Numeric;
}
