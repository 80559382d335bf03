import { type RawBuilder, sql } from "kysely";
import type { Parameter } from "../statement.js";
import { withEmbeddedFlagSql } from "../tables/embedded-flag.js";

export { idKey } from "../../catapult/state/composite-hash.js";

/**
 * Collections: every list whose entries are counted and numbered for one key. `list_counters` has the exact number of
 * entries of each list, `skip_pointers` the id of every SKIP_POINTER_STEP-th entry in ascending order of ids.
 * The numbers are stored: their meaning never changes.
 *
 * There are two lists of transactions by each key: top-level transactions (`top`), and those embedded in aggregates.
 * A list of both is a merge of the two. (11 has all transactions; 13 to 23 had lists of both.)
 *
 * Entries of lists of state (from 50 on) are also deleted, so skip pointers would become wrong. They have `counters`, and
 * buckets instead: `list_buckets` has the number of entries in each range of BUCKET_SIZE possible ids. The numbers of
 * most are where the list is declared, in `database/queries/`.
 */
export const Collection = {
  blocks: 1,
  blocksBySigner: 2,
  blocksByBeneficiary: 3,
  blocksByHarvester: 4,
  transactionsTop: 10,
  transactionsAll: 11,
  transactionsBySignerTop: 12,
  transactionsByRecipientTop: 14,
  transactionsByTypeTop: 16,
  transactionsByAddressTop: 18,
  transactionsByAddressAndTypeTop: 20,
  transactionsByMosaicTop: 22,
  transactionsBySignerEmbedded: 24,
  transactionsByRecipientEmbedded: 25,
  transactionsByTypeEmbedded: 26,
  transactionsByAddressEmbedded: 27,
  transactionsByAddressAndTypeEmbedded: 28,
  transactionsByMosaicEmbedded: 29,
  transactionStatements: 30,
  transactionStatementsByType: 31,
  transactionStatementsByRecipient: 32,
  transactionStatementsBySender: 33,
  transactionStatementsByTarget: 34,
  transactionStatementsByArtifact: 35,
  addressResolutions: 40,
  mosaicResolutions: 41,
  accounts: 50,
  accountsByMosaic: 51,
} as const;

/** Collections from this number on are lists of state, the others of blocks and their contents. */
export const FIRST_STATE_COLLECTION = Collection.accounts;

export type Collection = (typeof Collection)[keyof typeof Collection];

/** The lists of transactions by a key. */
export const TRANSACTION_LISTS = {
  top: {
    bySigner: Collection.transactionsBySignerTop,
    byRecipient: Collection.transactionsByRecipientTop,
    byType: Collection.transactionsByTypeTop,
    byAddress: Collection.transactionsByAddressTop,
    byAddressAndType: Collection.transactionsByAddressAndTypeTop,
    byMosaic: Collection.transactionsByMosaicTop,
  },
  embedded: {
    bySigner: Collection.transactionsBySignerEmbedded,
    byRecipient: Collection.transactionsByRecipientEmbedded,
    byType: Collection.transactionsByTypeEmbedded,
    byAddress: Collection.transactionsByAddressEmbedded,
    byAddressAndType: Collection.transactionsByAddressAndTypeEmbedded,
    byMosaic: Collection.transactionsByMosaicEmbedded,
  },
} as const;

/** What the lists of a collection are keyed by: nothing, a type, a number of the table `keys`, or such and a type. */
export type KeyForm = "none" | "type" | "key" | "keyAndType";

const KEY_FORMS: readonly (KeyForm | undefined)[] = byCollection([
  [Collection.blocks, "none"],
  [Collection.transactionsTop, "none"],
  [Collection.transactionsAll, "none"],
  [Collection.transactionStatements, "none"],
  [Collection.addressResolutions, "none"],
  [Collection.mosaicResolutions, "none"],
  [Collection.transactionsByTypeTop, "type"],
  [Collection.transactionsByTypeEmbedded, "type"],
  [Collection.transactionStatementsByType, "type"],
  [Collection.transactionsByAddressAndTypeTop, "keyAndType"],
  [Collection.transactionsByAddressAndTypeEmbedded, "keyAndType"],
]);

/** The form of the keys of a collection of the chain. */
export function keyFormOf(collection: number): KeyForm {
  return KEY_FORMS[collection] ?? "key";
}

/** As a list, which is faster than a map. */
function byCollection(forms: readonly (readonly [Collection, KeyForm])[]): (KeyForm | undefined)[] {
  const all: (KeyForm | undefined)[] = Array.from({ length: FIRST_STATE_COLLECTION });
  for (const [collection, form] of forms) all[collection] = form;
  return all;
}

/** Possible types, and possible keys of a collection: a number of a key (30 bits) and a type. */
export const TYPE_RANGE = 2 ** 16;
const KEY_RANGE = 2 ** 46;

/** One list of the chain in one number, which a double has exactly: its collection and key. */
export function listNumber(collection: number, key: number): number {
  return collection * KEY_RANGE + key;
}

/** The collection and the key of a list of the chain. */
export function decodeList(list: number): { readonly collection: number; readonly key: number } {
  const collection = Math.floor(list / KEY_RANGE);
  return { collection, key: list - collection * KEY_RANGE };
}

/** Entries between two skip pointers: the maximum cost of a page beyond its own entries. */
export const SKIP_POINTER_STEP = 128;

/** Size of a bucket of state ids: a power of 2, and the maximum cost of a page beyond its own entries. */
export const BUCKET_SIZE = 1024;

/** The start of the bucket of a state id: the lowest id in it, 12 bytes. */
export function bucketStart(id: Buffer): Buffer {
  const start = Buffer.from(id);
  const low = start.length - 4;
  start.writeUInt32BE(start.readUInt32BE(low) - (start.readUInt32BE(low) % BUCKET_SIZE), low);
  return start;
}

/** Key of a collection of state that has only one list. */
export const NO_KEY: Buffer = Buffer.alloc(0);

/** Key of a collection by a small number, such as a metadata type: 1 byte. */
export function smallKey(value: number): Buffer {
  return Buffer.from([value]);
}

/** One list of state: a collection and its key. */
export interface CollectionKey {
  readonly collection: number;
  readonly key: Buffer;
}

/**
 * Kinds of keys in the table `keys`, which gives each key of a list a small number: in the order in which the chain
 * first names them, so that two indexes of one chain agree. Stored: their meaning never changes.
 */
export const KeyKind = {
  /** 24 bytes: of an account, or an alias. */
  address: 1,
  /** 32 bytes. */
  publicKey: 2,
  /** 8 bytes, big-endian: a mosaic or a namespace. */
  id: 3,
  /** 8 bytes, big-endian: a mosaic in transfers that name it by an alias only. */
  aliasedMosaic: 4,
} as const;

export type KeyKind = (typeof KeyKind)[keyof typeof KeyKind];

/** A key in its full form, or the parameter of one in a statement. */
export interface NamedKey<Key = Buffer> {
  readonly kind: KeyKind;
  readonly key: Key;
}

type AnyKey = NamedKey<Buffer | Parameter>;

/** The number of a key, an expression of int4; null if the chain does not name it. */
export function keyNumber(key: AnyKey): RawBuilder<unknown> {
  return sql`(select id from keys where ${isKey(key)})`;
}

/** The number of a key in columns that are flagged. */
export function flaggedNumber(key: AnyKey, embedded: boolean): RawBuilder<unknown> {
  return sql`(select ${withEmbeddedFlagSql(sql`id`, embedded)} from keys where ${isKey(key)})`;
}

/** A type in the flagged column of `transactions`. */
export function flaggedType(type: number | Parameter, embedded: boolean): RawBuilder<unknown> {
  return withEmbeddedFlagSql(sql`${type}::int4`, embedded);
}

/** Types of both top-level and embedded transactions in that column. */
export function flaggedTypes(types: readonly (number | Parameter)[]): RawBuilder<unknown>[] {
  return types.flatMap((type) => [flaggedType(type, false), flaggedType(type, true)]);
}

/** The number of a list: of a whole collection, or of one type in it. */
export function listOf(collection: Collection, type: number | Parameter = 0): RawBuilder<unknown> {
  if (typeof type === "number") return sql`${sql.lit(listNumber(collection, type))}::int8`;
  return sql`(${first(collection)} + ${type}::int8)`;
}

/** The number of the list of a key; null if the chain does not name the key. */
export function listOfKey(collection: Collection, key: AnyKey): RawBuilder<unknown> {
  return sql`(select id + ${first(collection)} from keys where ${isKey(key)})`;
}

/** The number of the list of a key and a type. */
export function listOfKeyAndType(collection: Collection, key: AnyKey, type: number | Parameter): RawBuilder<unknown> {
  return sql`(
    select id * ${sql.lit(TYPE_RANGE)}::int8 + ${first(collection)} + ${type}::int8 from keys where ${isKey(key)})`;
}

/** The number of the first list of a collection. */
function first(collection: Collection): RawBuilder<unknown> {
  return sql`${sql.lit(listNumber(collection, 0))}::int8`;
}

function isKey({ kind, key }: AnyKey): RawBuilder<boolean> {
  return sql<boolean>`key = ${key} and kind = ${sql.lit(kind)}`;
}
