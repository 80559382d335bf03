import type { Db } from "../database.js";
import { Collection } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateList } from "../lists/state-page.js";

/** Filter of mosaic restrictions; all given conditions must match. */
export interface MosaicRestrictionFilter {
  readonly mosaicId?: bigint | undefined;
  /** 0 = values of an account, 1 = rules of a mosaic. */
  readonly entryType?: number | undefined;
  readonly targetAddress?: Buffer | undefined;
}

const LIST: StateList<MosaicRestrictionFilter> = {
  table: "mosaic_restrictions",
  collection: Collection.mosaicRestrictions,
  conditions: {
    mosaicId: { column: "mosaic_id", counted: Collection.mosaicRestrictionsByMosaic },
    entryType: { column: "entry_type", counted: Collection.mosaicRestrictionsByEntryType },
    targetAddress: { column: "target_address", counted: Collection.mosaicRestrictionsByTarget },
  },
};

/** A page of mosaic restrictions by id. */
export async function searchMosaicRestrictions(
  db: Db,
  filter: MosaicRestrictionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return readStatePage(db, LIST, filter, request);
}

/** Mosaic restrictions by composite hash (32 bytes); missing ones are omitted. */
export async function findMosaicRestrictions(db: Db, compositeHashes: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "mosaic_restrictions", "composite_hash", compositeHashes);
}
