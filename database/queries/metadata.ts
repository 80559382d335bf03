import type { Db } from "../database.js";
import { Collection } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import { findStateEntries, readStatePage, type StateList } from "../lists/state-page.js";

/** Filter of metadata entries; all given conditions must match. */
export interface MetadataFilter {
  readonly sourceAddress?: Buffer | undefined;
  readonly targetAddress?: Buffer | undefined;
  readonly scopedMetadataKey?: bigint | undefined;
  readonly targetId?: bigint | undefined;
  /** 0 account, 1 mosaic, 2 namespace. */
  readonly metadataType?: number | undefined;
}

const LIST: StateList<MetadataFilter> = {
  table: "metadata",
  collection: Collection.metadata,
  conditions: {
    sourceAddress: { column: "source_address", counted: Collection.metadataBySource },
    targetAddress: { column: "target_address", counted: Collection.metadataByTarget },
    scopedMetadataKey: { column: "scoped_metadata_key", counted: Collection.metadataByKey },
    targetId: { column: "target_id", counted: Collection.metadataByTargetId },
    metadataType: { column: "metadata_type", counted: Collection.metadataByType },
  },
};

/** A page of metadata entries by id. */
export async function searchMetadata(db: Db, filter: MetadataFilter, request: PageRequest): Promise<Page<Entry>> {
  return readStatePage(db, LIST, filter, request);
}

/** Metadata entries by composite hash (32 bytes); missing ones are omitted. */
export async function findMetadata(db: Db, compositeHashes: readonly Buffer[]): Promise<Entry[]> {
  return findStateEntries(db, "metadata", "composite_hash", compositeHashes);
}
