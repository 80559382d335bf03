import type { Db } from "../database.js";
import { Collection, idKey, smallKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateCondition } from "../lists/state-page.js";

/** Filter of mosaic restrictions; all given conditions must match. */
export interface MosaicRestrictionFilter {
  readonly mosaicId?: bigint | undefined;
  /** 0 = values of an account, 1 = rules of a mosaic. */
  readonly entryType?: number | undefined;
  readonly targetAddress?: Buffer | undefined;
}

/** A page of mosaic restrictions by id. */
export async function searchMosaicRestrictions(
  db: Db,
  filter: MosaicRestrictionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  const { mosaicId, entryType, targetAddress } = filter;
  const conditions: StateCondition[] = [];
  if (mosaicId !== undefined) {
    const value = idKey(mosaicId);
    const counted = { collection: Collection.mosaicRestrictionsByMosaic, key: value };
    conditions.push({ column: "mosaic_id", value, counted });
  }
  if (entryType !== undefined) {
    const counted = { collection: Collection.mosaicRestrictionsByEntryType, key: smallKey(entryType) };
    conditions.push({ column: "entry_type", value: entryType, counted });
  }
  if (targetAddress) {
    const counted = { collection: Collection.mosaicRestrictionsByTarget, key: targetAddress };
    conditions.push({ column: "target_address", value: targetAddress, counted });
  }
  const { mosaicRestrictions: collection } = Collection;
  return readStatePage(db, { table: "mosaic_restrictions", collection, conditions }, request);
}

/** Mosaic restrictions by composite hash (32 bytes); missing ones are omitted. */
export async function findMosaicRestrictions(db: Db, compositeHashes: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "mosaic_restrictions", "composite_hash", compositeHashes);
}
