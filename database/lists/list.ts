import type { RawBuilder } from "kysely";
import type { Parameter } from "../statement.js";

export type Order = "asc" | "desc";

/**
 * The requested page of a list: `pageNumber` from 1; with `offset` (12 bytes) pages are counted from the entry after
 * it in the requested order.
 */
export interface PageRequest {
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly order: Order;
  readonly offset?: Buffer | undefined;
  /** The entries alone: totals are then NaN. */
  readonly isWithoutTotal?: boolean | undefined;
}

/** An inclusive range of ids (12 bytes each). */
export interface IdRange {
  readonly from?: Buffer | undefined;
  readonly to?: Buffer | undefined;
}

/** A query on an index that ends in the id. */
export interface Selection {
  /** Selects the column `id`, without duplicates. */
  readonly ids: RawBuilder<unknown>;
  /**
   * Selects `id` and the columns of `Bodies` of whole lists, so that no row is looked up twice. Not for a condition that many rows
   * match: PostgreSQL may then walk most of the table in the order of ids.
   */
  readonly entries?: RawBuilder<unknown>;
}

/** A list of the chain, whose entries are numbered by counters and skip pointers. */
export interface ChainList extends Selection {
  /** An expression of its number (see `listNumber`), or of null for a list without entries. */
  readonly list: RawBuilder<unknown>;
  readonly hasBuckets?: never;
}

/** A list of state, whose entries are numbered by counters and buckets. It cannot be combined with other lists. */
export interface StateEntries extends Selection {
  readonly collection: Parameter;
  readonly key: Parameter;
  readonly hasBuckets: true;
}

export type CountedList = ChainList | StateEntries;
