import type { Db } from "../database.js";
import { Collection, idKey, smallKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateCondition } from "../lists/state-page.js";

/** Filter of metadata entries; all given conditions must match. */
export interface MetadataFilter {
  readonly sourceAddress?: Buffer | undefined;
  readonly targetAddress?: Buffer | undefined;
  readonly scopedMetadataKey?: bigint | undefined;
  readonly targetId?: bigint | undefined;
  /** 0 account, 1 mosaic, 2 namespace. */
  readonly metadataType?: number | undefined;
}

/** A page of metadata entries by id. */
export async function searchMetadata(db: Db, filter: MetadataFilter, request: PageRequest): Promise<Page<Entry>> {
  const { sourceAddress, targetAddress, scopedMetadataKey, targetId, metadataType } = filter;
  const conditions: StateCondition[] = [];
  if (sourceAddress) {
    const counted = { collection: Collection.metadataBySource, key: sourceAddress };
    conditions.push({ column: "source_address", value: sourceAddress, counted });
  }
  if (targetAddress) {
    const counted = { collection: Collection.metadataByTarget, key: targetAddress };
    conditions.push({ column: "target_address", value: targetAddress, counted });
  }
  if (scopedMetadataKey !== undefined) {
    const value = idKey(scopedMetadataKey);
    const counted = { collection: Collection.metadataByKey, key: value };
    conditions.push({ column: "scoped_metadata_key", value, counted });
  }
  if (targetId !== undefined) {
    const value = idKey(targetId);
    const counted = { collection: Collection.metadataByTargetId, key: value };
    conditions.push({ column: "target_id", value, counted });
  }
  if (metadataType !== undefined) {
    const counted = { collection: Collection.metadataByType, key: smallKey(metadataType) };
    conditions.push({ column: "metadata_type", value: metadataType, counted });
  }
  return readStatePage(db, { table: "metadata", collection: Collection.metadata, conditions }, request);
}

/** Metadata entries by composite hash (32 bytes); missing ones are omitted. */
export async function findMetadata(db: Db, compositeHashes: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "metadata", "composite_hash", compositeHashes);
}
