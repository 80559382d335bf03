import type { z } from "zod";
import { ADDRESS_SIZE } from "../entity/address.js";
import type { Described, Field } from "../values/codecs.js";
import type { Fields } from "../values/struct.js";
import { PacketType } from "../wire/packet-type.js";
import { ACCOUNT_BODY, ACCOUNT_FIELDS } from "./account.js";
import { ACCOUNT_RESTRICTIONS_BODY, ACCOUNT_RESTRICTIONS_FIELDS } from "./account-restriction.js";
import type { StateKind } from "./kind.js";
import { HASH_LOCK_BODY, HASH_LOCK_FIELDS, SECRET_LOCK_BODY, SECRET_LOCK_FIELDS } from "./lock.js";
import { METADATA_BODY, METADATA_FIELDS } from "./metadata.js";
import { MOSAIC_BODY, MOSAIC_FIELDS } from "./mosaic.js";
import { MOSAIC_RESTRICTION_BODY, MOSAIC_RESTRICTION_FIELDS } from "./mosaic-restriction.js";
import { MULTISIG_BODY, MULTISIG_FIELDS } from "./multisig.js";
import { NAMESPACE_BODY, NAMESPACE_FIELDS } from "./namespace.js";

/** A condition of searches: entries whose field has a value. Its column has an index that ends in the id. */
export interface StateList {
  /** The name of the field. */
  readonly of: string;
  /** Number of the collection with a list for each value, if their entries are counted. Stored: none is used again. */
  readonly counted?: number;
  /** In place of that of the field. */
  readonly scalar?: "Hash256" | "ArtifactId";
  readonly description: string;
}

/** A name in the interfaces, and what it is. */
type Named = readonly [name: string, description: string];

/** What the interfaces call a kind. */
export interface StateTexts {
  readonly tag: string;
  /** Path of its list in REST, and field of its list in GraphQL. */
  readonly path: string;
  readonly list: string;
  /** Its schema in OpenAPI. */
  readonly page: string;
  /** The key in paths, and of lists of keys the name, the name in GraphQL, and what they are. */
  readonly key: Named;
  readonly keys: readonly [name: string, graphqlName: string, description: string];
  /** Field of look-ups in GraphQL. */
  readonly byKeys: Named;
  /** Operations of REST. */
  readonly search: Named;
  readonly get: Named;
  readonly post?: Named;
  /** Whether entries may have many thousand bytes each. */
  readonly isLarge?: true;
}

/** A field: the column of its value, and the greatest of a few numbers. */
type StateField = Fields[string] & Partial<Described<unknown>> & { readonly column?: string; readonly max?: number };

/** The tree of a kind: the packet that requests a path in it, the size of its keys, and what is in it. */
interface StateTree {
  readonly packet: number;
  readonly keySize: number;
  readonly description: string;
}

/** How a kind of state is stored, found and shown. */
export interface StateDeclaration {
  readonly tree: StateTree;
  readonly fields: Readonly<Record<string, StateField>>;
  readonly table: string;
  /** The column with the key of requests to the node, which is unique unless a value has several rows. */
  readonly keyColumn: string;
  /** The column by which a row of a value is found, if that is another one. */
  readonly rowColumn?: string;
  /** Whether bodies show the key. */
  readonly showsKey?: true;
  readonly body: { readonly schema: z.ZodType; readonly write: unknown };
  /** Number of the collection of all entries, if they are counted. */
  readonly all?: number;
  readonly lists: Readonly<Record<string, StateList>>;
  readonly texts?: StateTexts;
}

const ID_SIZE = 8;
const HASH_SIZE = 32;
const OWNER_OF_LOCK = "Address of the account that locked the amount.";
const COMPOSITE_HASH = ["compositeHash", "Composite hash of the entry."] as const;
const COMPOSITE_HASHES = ["compositeHashes", "compositeHashes", "Composite hashes"] as const;

/** The nine kinds of state. Everything that differs between them is here, or a function that is named after its kind. */
export const STATE = {
  account: {
    tree: { packet: PacketType.accountStatePath, keySize: ADDRESS_SIZE, description: "Accounts by address." },
    fields: ACCOUNT_FIELDS,
    table: "accounts",
    keyColumn: "address",
    body: ACCOUNT_BODY,
    all: 50,
    lists: { address: { of: "address", description: "The account with this address." } },
  },
  namespace: {
    tree: {
      packet: PacketType.namespaceStatePath,
      keySize: ID_SIZE,
      description: "Root namespaces with their children, by id.",
    },
    fields: NAMESPACE_FIELDS,
    table: "namespaces",
    keyColumn: "level0",
    rowColumn: "namespace_id",
    body: NAMESPACE_BODY,
    all: 54,
    lists: {
      ownerAddress: { of: "ownerAddress", counted: 55, description: "Address of the account that registered them." },
      registrationType: { of: "registrationType", counted: 56, description: "0 root, 1 child." },
      level0: {
        of: "level0",
        scalar: "ArtifactId",
        description: "Id of a root namespace: matches it and all its children.",
      },
      aliasType: { of: "aliasType", counted: 57, description: "Alias type: 0 = none, 1 = mosaic, 2 = address." },
    },
    texts: {
      ...{ tag: "Namespaces", path: "/namespaces", list: "namespaces", page: "NamespacePage" },
      key: ["namespaceId", "Id of the namespace."],
      keys: ["namespaceIds", "ids", "Ids of namespaces"],
      byKeys: [
        "namespacesByIds",
        "Namespaces in the order of the request, including ended ones until the end is final; missing ones are omitted.",
      ],
      search: ["searchNamespaces", "Namespaces that match all given conditions."],
      get: ["getNamespace", "A namespace."],
    },
  },
  mosaic: {
    tree: { packet: PacketType.mosaicStatePath, keySize: ID_SIZE, description: "Mosaics by id." },
    fields: MOSAIC_FIELDS,
    table: "mosaics",
    keyColumn: "mosaic_id",
    body: MOSAIC_BODY,
    all: 52,
    lists: {
      ownerAddress: { of: "ownerAddress", counted: 53, description: "Address of the account that created them." },
    },
    texts: {
      ...{ tag: "Mosaics", path: "/mosaics", list: "mosaics", page: "MosaicPage" },
      key: ["mosaicId", "Id of the mosaic itself, not of a namespace that points to it."],
      keys: ["mosaicIds", "ids", "Ids of the mosaics themselves"],
      byKeys: ["mosaicsByIds", "Mosaics by their own ids, in the order of the request; missing ones are omitted."],
      search: ["searchMosaics", "Mosaics that match all given conditions."],
      get: ["getMosaic", "A mosaic."],
      post: ["getMosaics", "Mosaics by ids."],
    },
  },
  multisig: {
    tree: { packet: PacketType.multisigStatePath, keySize: ADDRESS_SIZE, description: "Multisig entries by address." },
    fields: MULTISIG_FIELDS,
    table: "multisigs",
    keyColumn: "address",
    body: MULTISIG_BODY,
    lists: {},
  },
  hashLock: {
    tree: {
      packet: PacketType.hashLockStatePath,
      keySize: HASH_SIZE,
      description: "Hash locks by the hash of the aggregate.",
    },
    fields: HASH_LOCK_FIELDS,
    table: "hash_locks",
    keyColumn: "hash",
    body: HASH_LOCK_BODY,
    all: 64,
    lists: { address: { of: "ownerAddress", counted: 65, description: OWNER_OF_LOCK } },
    texts: {
      ...{ tag: "Hash locks", path: "/lock/hash", list: "hashLocks", page: "HashLockPage" },
      key: ["hash", "Hash of the aggregate."],
      keys: ["hashes", "hashes", "Hashes of aggregates"],
      byKeys: [
        "hashLocksByHashes",
        "Hash locks by the hashes of their aggregates, in the order of the request; missing ones are omitted.",
      ],
      search: ["searchHashLock", "Hash locks in the order in which the index first saw them."],
      get: ["getHashLock", "A hash lock."],
      post: ["getHashLocks", "Hash locks by hashes."],
    },
  },
  secretLock: {
    tree: {
      packet: PacketType.secretLockStatePath,
      keySize: HASH_SIZE,
      description: "Secret locks by composite hash.",
    },
    fields: SECRET_LOCK_FIELDS,
    table: "secret_locks",
    keyColumn: "composite_hash",
    showsKey: true,
    body: SECRET_LOCK_BODY,
    all: 66,
    lists: {
      address: { of: "ownerAddress", counted: 67, description: OWNER_OF_LOCK },
      secret: {
        of: "secret",
        counted: 68,
        scalar: "Hash256",
        description: "Secret, 32 bytes; shorter ones are padded with zeros.",
      },
    },
    texts: {
      ...{ tag: "Secret locks", path: "/lock/secret", list: "secretLocks", page: "SecretLockPage" },
      ...{ key: COMPOSITE_HASH, keys: COMPOSITE_HASHES },
      byKeys: [
        "secretLocksByHashes",
        "Secret locks by composite hashes, in the order of the request; missing ones are omitted.",
      ],
      search: ["searchSecretLock", "Secret locks that match all given conditions."],
      get: ["getSecretLock", "A secret lock."],
      post: ["getSecretLocks", "Secret locks by composite hashes."],
    },
  },
  accountRestriction: {
    tree: {
      packet: PacketType.accountRestrictionsStatePath,
      keySize: ADDRESS_SIZE,
      description: "Account restrictions by address.",
    },
    fields: ACCOUNT_RESTRICTIONS_FIELDS,
    table: "account_restrictions",
    keyColumn: "address",
    body: ACCOUNT_RESTRICTIONS_BODY,
    all: 69,
    lists: { address: { of: "address", description: "Address of the account." } },
    texts: {
      ...{
        tag: "Restrictions",
        path: "/restrictions/account",
        list: "accountRestrictions",
        page: "AccountRestrictionsPage",
      },
      key: ["address", "Address of the account."],
      keys: ["addresses", "addresses", "Addresses of accounts"],
      byKeys: [
        "accountRestrictionsByAddresses",
        "Account restrictions, in the order of the request; accounts without any are omitted.",
      ],
      search: ["searchAccountRestrictions", "Account restrictions in the order in which the index first saw them."],
      get: ["getAccountRestrictions", "Restrictions of an account."],
      post: ["getAccountRestrictionsBatch", "Restrictions of accounts."],
      isLarge: true,
    },
  },
  mosaicRestriction: {
    tree: {
      packet: PacketType.mosaicRestrictionsStatePath,
      keySize: HASH_SIZE,
      description: "Mosaic restrictions by composite hash.",
    },
    fields: MOSAIC_RESTRICTION_FIELDS,
    table: "mosaic_restrictions",
    keyColumn: "composite_hash",
    showsKey: true,
    body: MOSAIC_RESTRICTION_BODY,
    all: 70,
    lists: {
      mosaicId: { of: "mosaicId", counted: 71, description: "Id of the mosaic." },
      entryType: { of: "entryType", counted: 72, description: "0 accounts' values, 1 mosaics' rules." },
      targetAddress: { of: "targetAddress", counted: 73, description: "Address of the account with the values." },
    },
    texts: {
      ...{
        tag: "Restrictions",
        path: "/restrictions/mosaic",
        list: "mosaicRestrictions",
        page: "MosaicRestrictionsPage",
      },
      key: ["compositeHash", "Hash of mosaic and account (zeros for the mosaic's rules)."],
      keys: COMPOSITE_HASHES,
      byKeys: [
        "mosaicRestrictionsByHashes",
        "Mosaic restrictions by composite hashes, in the order of the request; missing ones are omitted.",
      ],
      search: ["searchMosaicRestrictions", "Rules of mosaics and values of accounts that match all given conditions."],
      get: ["getMosaicRestrictions", "The rules of a mosaic, or the values of an account."],
      post: ["getMosaicRestrictionsBatch", "Mosaic restrictions by composite hashes."],
    },
  },
  metadata: {
    tree: {
      packet: PacketType.metadataStatePath,
      keySize: HASH_SIZE,
      description: "Metadata entries by composite hash.",
    },
    fields: METADATA_FIELDS,
    table: "metadata",
    keyColumn: "composite_hash",
    showsKey: true,
    body: METADATA_BODY,
    all: 58,
    lists: {
      sourceAddress: {
        of: "sourceAddress",
        counted: 59,
        description: "Address of the account that created the entry.",
      },
      targetAddress: {
        of: "targetAddress",
        counted: 60,
        description: "Address of the account, or of the owner of the mosaic or namespace.",
      },
      scopedMetadataKey: { of: "scopedMetadataKey", counted: 61, description: "Key of the entry." },
      targetId: {
        of: "targetId",
        counted: 62,
        description: "Id of the mosaic or namespace; zeros for account metadata.",
      },
      metadataType: { of: "metadataType", counted: 63, description: "0 account, 1 mosaic, 2 namespace." },
    },
    texts: {
      ...{ tag: "Metadata", path: "/metadata", list: "metadata", page: "MetadataPage" },
      ...{ key: COMPOSITE_HASH, keys: COMPOSITE_HASHES },
      byKeys: [
        "metadataByHashes",
        "Metadata entries by composite hashes, in the order of the request; missing ones are omitted.",
      ],
      search: ["searchMetadataEntries", "Metadata entries that match all given conditions."],
      get: ["getMetadata", "A metadata entry."],
      post: ["getMetadataEntries", "Metadata entries by composite hashes."],
    },
  },
} as const satisfies Record<StateKind, StateDeclaration>;

/** The values of conditions, by their names; all given ones must match. */
export type StateFilter<K extends StateKind> = {
  readonly [Name in keyof Lists<K>]?: ValueOf<K, Lists<K>[Name]> | undefined;
};
type Lists<K extends StateKind> = (typeof STATE)[K]["lists"];
type ValueOf<K extends StateKind, List> = List extends { readonly of: infer Of }
  ? Of extends keyof (typeof STATE)[K]["fields"]
    ? (typeof STATE)[K]["fields"][Of] extends Field<infer Value>
      ? Value
      : never
    : never
  : never;
