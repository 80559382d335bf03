import { ACCOUNT_RESTRICTIONS_BODY } from "../../catapult/state/account-restriction.js";
import { HASH_LOCK_BODY, SECRET_LOCK_BODY } from "../../catapult/state/lock.js";
import { METADATA_BODY } from "../../catapult/state/metadata.js";
import { MOSAIC_BODY } from "../../catapult/state/mosaic.js";
import { MOSAIC_RESTRICTION_BODY } from "../../catapult/state/mosaic-restriction.js";
import { stateBodies } from "../bodies/state-bodies.js";
import type { Db } from "../database.js";
import { idKey } from "../lists/collections.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import {
  bytesIn,
  type Condition,
  type Conditions,
  type FilterOf,
  findStateEntries,
  idIn,
  numberIn,
  readStatePage,
  type StateList,
} from "../lists/state-page.js";

/** A kind of state whose entries are found by their keys, and listed by id. */
export interface StateNoun<Key, Filter> {
  /** A page of the entries that match all given conditions. */
  readonly search: (db: Db, filter: Filter, request: PageRequest) => Promise<Page<Entry>>;
  /** Entries by their keys, in the same order; missing ones are omitted. */
  readonly find: (db: Db, keys: readonly Key[]) => Promise<Entry[]>;
  readonly counted: CountedLists;
}

/** The lists whose entries are counted, by the numbers of their collections, which are stored: none is used again. */
export interface CountedLists {
  /** The list of all entries. */
  readonly all?: number;
  /** Lists by the values of a column. */
  readonly lists: readonly { readonly collection: number; readonly column: string; readonly isSmall: boolean }[];
}

/** @param key a unique column */
export function stateNoun<Key extends Buffer | bigint, C extends Conditions>(
  { column }: Condition<Key>,
  list: StateList<C>,
): StateNoun<Key, FilterOf<C>> {
  const stored = (key: Key): Buffer => (Buffer.isBuffer(key) ? key : idKey(key));
  return {
    search: (db, filter, request) => readStatePage(db, list, filter, request),
    find: (db, keys) => findStateEntries(db, list.table, column, keys.map(stored), list.bodies),
    counted: {
      all: list.collection,
      lists: Object.values(list.conditions).flatMap(({ column: by, counted, isSmall = false }) =>
        counted === undefined ? [] : [{ collection: counted, column: by, isSmall }],
      ),
    },
  };
}

/** Open, used and expired ones, until the node deletes them. Their key is the hash of the aggregate. */
export const hashLocks = stateNoun(bytesIn("hash"), {
  table: "hash_locks",
  bodies: stateBodies(HASH_LOCK_BODY),
  collection: 64,
  conditions: { ownerAddress: bytesIn("owner_address", 65) },
});

/** The same of secret locks, with a composite hash as their key. */
export const secretLocks = stateNoun(bytesIn("composite_hash"), {
  table: "secret_locks",
  bodies: stateBodies(SECRET_LOCK_BODY, "composite_hash"),
  collection: 66,
  conditions: {
    ownerAddress: bytesIn("owner_address", 67),
    secret: bytesIn("secret", 68),
  },
});

/** By composite hash. */
export const metadata = stateNoun(bytesIn("composite_hash"), {
  table: "metadata",
  bodies: stateBodies(METADATA_BODY, "composite_hash"),
  collection: 58,
  conditions: {
    sourceAddress: bytesIn("source_address", 59),
    targetAddress: bytesIn("target_address", 60),
    scopedMetadataKey: idIn("scoped_metadata_key", 61),
    targetId: idIn("target_id", 62),
    metadataType: numberIn("metadata_type", 63),
  },
});

/** By their own ids, not by aliases. */
export const mosaics = stateNoun(idIn("mosaic_id"), {
  table: "mosaics",
  bodies: stateBodies(MOSAIC_BODY),
  collection: 52,
  conditions: { ownerAddress: bytesIn("owner_address", 53) },
});

/** By composite hash. */
export const mosaicRestrictions = stateNoun(bytesIn("composite_hash"), {
  table: "mosaic_restrictions",
  bodies: stateBodies(MOSAIC_RESTRICTION_BODY, "composite_hash"),
  collection: 70,
  conditions: {
    mosaicId: idIn("mosaic_id", 71),
    entryType: numberIn("entry_type", 72),
    targetAddress: bytesIn("target_address", 73),
  },
});

/** By address (24 bytes). */
export const accountRestrictions = stateNoun(bytesIn("address"), {
  table: "account_restrictions",
  bodies: stateBodies(ACCOUNT_RESTRICTIONS_BODY),
  collection: 69,
  conditions: { address: bytesIn("address") },
});
