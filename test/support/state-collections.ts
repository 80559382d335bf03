import type { StateKind } from "../../catapult/state/kind.js";

/** The REST paths of a kind of state, and the meaning of its entries' fields. */
export interface StateCollection {
  readonly kind: StateKind;
  /** Path of the list; undefined if there is none. */
  readonly list?: string;
  /** Path of one entry by its key in REST. */
  readonly one: (key: string) => string;
  /** Member of the body of a look-up of several; undefined if there is none. */
  readonly keys?: string;
  /** Key of an entry's body. */
  // biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
  readonly keyOf: (entry: any) => string;
  /** Maximum number of keys in one look-up. */
  readonly maxKeys?: number;
  /** Filters of the list: the values that find an entry, undefined if nothing finds it. */
  // biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
  readonly filters: { readonly [name: string]: (entry: any) => string | number | undefined };
  /** Whether bodies have an id, by which pages can be read. */
  readonly hasId: boolean;
}

/** Every kind of state, with addresses in hex as in bodies: the interface accepts them too. */
export const stateCollections: readonly StateCollection[] = [
  {
    kind: "account",
    list: "/accounts",
    one: (key) => `/accounts/${key}`,
    keys: "addresses",
    keyOf: ({ account }) => account.address,
    maxKeys: 100,
    filters: { address: ({ account }) => account.address },
    hasId: true,
  },
  {
    kind: "mosaic",
    list: "/mosaics",
    one: (key) => `/mosaics/${key}`,
    keys: "mosaicIds",
    keyOf: ({ mosaic }) => mosaic.id,
    filters: { ownerAddress: ({ mosaic }) => mosaic.ownerAddress },
    hasId: true,
  },
  {
    kind: "namespace",
    list: "/namespaces",
    one: (key) => `/namespaces/${key}`,
    keyOf: ({ namespace }) => namespace.level2 ?? namespace.level1 ?? namespace.level0,
    filters: {
      ownerAddress: ({ namespace }) => namespace.ownerAddress,
      registrationType: ({ namespace }) => namespace.registrationType,
      level0: ({ namespace }) => namespace.level0,
      aliasType: ({ namespace }) => namespace.alias.type,
    },
    hasId: true,
  },
  {
    kind: "multisig",
    one: (key) => `/account/${key}/multisig`,
    keyOf: ({ multisig }) => multisig.accountAddress,
    filters: {},
    hasId: false,
  },
  {
    kind: "metadata",
    list: "/metadata",
    one: (key) => `/metadata/${key}`,
    keys: "compositeHashes",
    keyOf: ({ metadataEntry }) => metadataEntry.compositeHash,
    filters: {
      sourceAddress: ({ metadataEntry }) => metadataEntry.sourceAddress,
      targetAddress: ({ metadataEntry }) => metadataEntry.targetAddress,
      scopedMetadataKey: ({ metadataEntry }) => metadataEntry.scopedMetadataKey,
      targetId: ({ metadataEntry }) => metadataEntry.targetId,
      metadataType: ({ metadataEntry }) => metadataEntry.metadataType,
    },
    hasId: true,
  },
  {
    kind: "hashLock",
    list: "/lock/hash",
    one: (key) => `/lock/hash/${key}`,
    keys: "hashes",
    keyOf: ({ lock }) => lock.hash,
    filters: { address: ({ lock }) => lock.ownerAddress },
    hasId: true,
  },
  {
    kind: "secretLock",
    list: "/lock/secret",
    one: (key) => `/lock/secret/${key}`,
    keys: "compositeHashes",
    keyOf: ({ lock }) => lock.compositeHash,
    filters: { address: ({ lock }) => lock.ownerAddress, secret: ({ lock }) => lock.secret },
    hasId: true,
  },
  {
    kind: "accountRestriction",
    list: "/restrictions/account",
    one: (key) => `/restrictions/account/${key}`,
    keys: "addresses",
    keyOf: ({ accountRestrictions }) => accountRestrictions.address,
    maxKeys: 100,
    filters: { address: ({ accountRestrictions }) => accountRestrictions.address },
    hasId: false,
  },
  {
    kind: "mosaicRestriction",
    list: "/restrictions/mosaic",
    one: (key) => `/restrictions/mosaic/${key}`,
    keys: "compositeHashes",
    keyOf: ({ mosaicRestrictionEntry }) => mosaicRestrictionEntry.compositeHash,
    filters: {
      mosaicId: ({ mosaicRestrictionEntry }) => mosaicRestrictionEntry.mosaicId,
      entryType: ({ mosaicRestrictionEntry }) => mosaicRestrictionEntry.entryType,
      targetAddress: ({ mosaicRestrictionEntry }) => mosaicRestrictionEntry.targetAddress,
    },
    hasId: true,
  },
];
