import { type Sql, sql } from "../sql.js";
import { type Collection, listNumber, TYPE_RANGE } from "./collections.js";

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

/** A key in its full form. */
export interface NamedKey {
  readonly kind: KeyKind;
  readonly key: Buffer;
}

/** The number of a key, an expression of int4; null if the chain does not name it. */
export function keyNumber(key: NamedKey): Sql {
  return sql`(select id from keys where ${isKey(key)})`;
}

/** The number of a key in columns whose lowest bit marks embedded transactions. */
export function markedNumber(key: NamedKey, embedded: boolean): Sql {
  return sql`(select id * 2 + ${sql.lit(embedded ? 1 : 0)} from keys where ${isKey(key)})`;
}

/** A type in the column of `transactions`, whose lowest bit marks embedded ones. */
export function markedType(type: number, embedded: boolean): number {
  return 2 * type + (embedded ? 1 : 0);
}

/** Types of both top-level and embedded transactions in that column. */
export function markedTypes(types: readonly number[]): number[] {
  return types.flatMap((type) => [markedType(type, false), markedType(type, true)]);
}

/** The number of a list: of a whole collection, or of one type in it. */
export function listOf(collection: Collection, type = 0): Sql {
  return sql`${listNumber(collection, type)}::int8`;
}

/** The number of the list of a key; null if the chain does not name the key. */
export function listOfKey(collection: Collection, key: NamedKey): Sql {
  return sql`(select id + ${listNumber(collection, 0)}::int8 from keys where ${isKey(key)})`;
}

/** The number of the list of a key and a type. */
export function listOfKeyAndType(collection: Collection, key: NamedKey, type: number): Sql {
  return sql`(
    select id * ${sql.lit(TYPE_RANGE)}::int8 + ${listNumber(collection, type)}::int8 from keys where ${isKey(key)})`;
}

function isKey({ kind, key }: NamedKey): Sql<boolean> {
  return sql`key = ${key} and kind = ${sql.lit(kind)}`;
}
