import { STATE_KINDS, type StateKind } from "../../catapult/state/kind.js";

// biome-ignore lint/suspicious/noExplicitAny: entries are of every form.
type AnyEntry = any;

/** What is asked of a kind of state, and what its answers mean: written apart from the table that they follow from. */
interface Asked {
  /** Path of the list and, with a key, of an entry. */
  readonly path: string;
  /** Field of the list in GraphQL. */
  readonly list: string;
  /** The only member of a body, and in it the key. */
  readonly entity: string;
  readonly key: string;
  /** Member of the body of a look-up of several in REST; undefined if there is none. */
  readonly keys?: string;
  /** The look-up in GraphQL, with its argument. */
  readonly byKeys: readonly [field: string, argument: string];
  /** Maximum number of keys in one look-up. */
  readonly max?: number;
  /** Filters of the list, and the members of a entity whose values find it. */
  readonly filters: Readonly<Record<string, string>>;
  /** Whether bodies have no id, by which pages could be read. */
  readonly hasNoId?: true;
}

const LISTED = {
  account: {
    ...{ path: "/accounts", list: "accounts", entity: "account", key: "address", keys: "addresses", max: 100 },
    byKeys: ["accountsByIds", "addresses"],
    filters: { address: "address" },
  },
  mosaic: {
    ...{ path: "/mosaics", list: "mosaics", entity: "mosaic", key: "id", keys: "mosaicIds" },
    byKeys: ["mosaicsByIds", "ids"],
    filters: { ownerAddress: "ownerAddress" },
  },
  namespace: {
    ...{ path: "/namespaces", list: "namespaces", entity: "namespace", key: "level" },
    byKeys: ["namespacesByIds", "ids"],
    filters: {
      ...{ ownerAddress: "ownerAddress", registrationType: "registrationType", level0: "level0" },
      aliasType: "alias.type",
    },
  },
  metadata: {
    ...{ path: "/metadata", list: "metadata", entity: "metadataEntry", key: "compositeHash", keys: "compositeHashes" },
    byKeys: ["metadataByHashes", "compositeHashes"],
    filters: {
      ...{ sourceAddress: "sourceAddress", targetAddress: "targetAddress", scopedMetadataKey: "scopedMetadataKey" },
      ...{ targetId: "targetId", metadataType: "metadataType" },
    },
  },
  hashLock: {
    ...{ path: "/lock/hash", list: "hashLocks", entity: "lock", key: "hash", keys: "hashes" },
    byKeys: ["hashLocksByHashes", "hashes"],
    filters: { address: "ownerAddress" },
  },
  secretLock: {
    ...{ path: "/lock/secret", list: "secretLocks", entity: "lock", key: "compositeHash", keys: "compositeHashes" },
    byKeys: ["secretLocksByHashes", "compositeHashes"],
    filters: { address: "ownerAddress", secret: "secret" },
  },
  accountRestriction: {
    ...{ path: "/restrictions/account", list: "accountRestrictions", entity: "accountRestrictions", key: "address" },
    ...{ keys: "addresses", max: 100, hasNoId: true },
    byKeys: ["accountRestrictionsByAddresses", "addresses"],
    filters: { address: "address" },
  },
  mosaicRestriction: {
    ...{ path: "/restrictions/mosaic", list: "mosaicRestrictions", entity: "mosaicRestrictionEntry" },
    ...{ key: "compositeHash", keys: "compositeHashes" },
    byKeys: ["mosaicRestrictionsByHashes", "compositeHashes"],
    filters: { mosaicId: "mosaicId", entryType: "entryType", targetAddress: "targetAddress" },
  },
} as const satisfies Record<Exclude<StateKind, "multisig">, Asked>;

/** A kind of state that has a list. */
export class ListedKind {
  readonly kind: StateKind;
  readonly of: Asked;

  constructor(kind: StateKind, of: Asked) {
    this.kind = kind;
    this.of = of;
  }

  /** The key in an entry's body. */
  keyOf(entry: AnyEntry): string {
    const { entity, key } = this.of;
    const { [entity]: body } = entry;
    return key === "level" ? (body.level2 ?? body.level1 ?? body.level0) : body[key];
  }

  /** The value of a filter that finds an entry; undefined if none does. */
  valueOf(entry: AnyEntry, filter: string): string | number | undefined {
    const member = this.of.filters[filter] ?? filter;
    return member.split(".").reduce((value, name) => value?.[name], entry[this.of.entity]);
  }
}

/** Every kind that has a list. */
export const LISTED_KINDS = Object.entries<Asked>(LISTED).map(([kind, of]) => new ListedKind(kind as StateKind, of));

/** The path of an entry of any kind by its key, with addresses in hex as in bodies: the interface accepts them too. */
export function pathOfEntry(kind: StateKind, key: string): string {
  return kind === "multisig" ? `/account/${key}/multisig` : `${LISTED[kind].path}/${key}`;
}

/** All nine of them. */
export const ALL_KINDS: readonly StateKind[] = STATE_KINDS;
