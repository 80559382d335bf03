import type { RawBuilder } from "kysely";
import type { CollectionKey } from "./collections.js";

export type Order = "asc" | "desc";

/** Which page of a list: `pageNumber` from 1; with `offset` (12 bytes) pages are counted from behind that entry in the asked order. */
export interface PageRequest {
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly order: Order;
  readonly offset?: Buffer | undefined;
}

/** Ids between these two, both included (12 bytes each). */
export interface IdRange {
  readonly from?: Buffer | undefined;
  readonly to?: Buffer | undefined;
}

/** A query over an index that ends in the id. */
export interface Selection {
  /** Selects the column `id`, each once. */
  readonly ids: RawBuilder<unknown>;
  /**
   * Selects `id` and `document` of whole lists, so that no row is looked up twice. Not under a condition that many rows
   * meet: PostgreSQL may walk the table in the order of ids then, and through most of it where those rows lie elsewhere.
   */
  readonly entries?: RawBuilder<unknown>;
}

/** A list whose entries counters and milestones number, or counters and spans. */
export interface CountedList extends CollectionKey, Selection {
  /** Entries go away in its middle, so that it has spans. Only alone: pages of several such lists are not found. */
  readonly hasSpans?: true;
}
