import { Collection, idKey, smallKey } from "./collections.js";
import type { Db } from "./database.js";
import type { Entry, Page, PageRequest } from "./page.js";
import type { StateTable } from "./state.js";
import { findStateEntries, readStatePage, type StateCondition } from "./state-page.js";

export interface MosaicRestrictionTable extends StateTable {
  /** Of mosaic and account: 32 bytes. */
  composite_hash: Buffer;
  /** 8 bytes, big-endian. */
  mosaic_id: Buffer;
  /** 0 an account's values, 1 the mosaic's rules. */
  entry_type: number;
  /** Null for the mosaic's rules. */
  target_address: Buffer | null;
}

/** Which restrictions of mosaics; all that are given must hold. */
export interface MosaicRestrictionFilter {
  readonly mosaicId?: bigint | undefined;
  /** 0 accounts' values, 1 mosaics' rules. */
  readonly entryType?: number | undefined;
  readonly targetAddress?: Buffer | undefined;
}

/** A page of mosaics' restrictions by id. */
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

/** Restrictions of mosaics by composite hash (32 bytes), those that are there. */
export async function findMosaicRestrictions(db: Db, compositeHashes: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "mosaic_restrictions", "composite_hash", compositeHashes);
}
