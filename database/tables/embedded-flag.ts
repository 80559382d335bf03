import { type ColumnType, type RawBuilder, sql } from "kysely";

/*
 * Numbers of keys and types in columns that are *flagged*: doubled, and 1 is added for embedded transactions. So each
 * entry is in one index per list, with statistics of its own, and a list of both is a merge of two ordered scans.
 */

export function withEmbeddedFlag(number: number, embedded: boolean): number {
  return 2 * number + (embedded ? 1 : 0);
}

/** The number of a flagged one. */
export function withoutEmbeddedFlag(number: number): number {
  return number >> 1;
}

/** Whether a flagged number is that of an embedded transaction. */
export function hasEmbeddedFlag(number: number): boolean {
  return (number & 1) === 1;
}

/** The number that replaces a flagged local one, with its flag. @param numbers by local number */
export function renumbered(local: number, numbers: ArrayLike<number>): number {
  return withEmbeddedFlag(numbers[withoutEmbeddedFlag(local)] as number, hasEmbeddedFlag(local));
}

/** A part of a statement. */
export type Sql = RawBuilder<unknown>;

export function withEmbeddedFlagSql(number: Sql, embedded: boolean): Sql {
  return embedded ? sql`(${number} * 2 + 1)` : sql`(${number} * 2)`;
}

/** @param column perhaps `alias.column` */
export function withoutEmbeddedFlagSql(column: string): Sql {
  return sql`(${sql.ref(column)} >> 1)`;
}

/**
 * Whether the row of a flagged column is of an embedded transaction, or of a top-level one: the condition of an index.
 */
export function embeddedIs(column: string, embedded: boolean): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} & 1 = ${sql.lit(embedded ? 1 : 0)}`;
}

/** A numeric(20) or numeric(39) column: decimal text from the driver, converted to `bigint` where it is used. */
export type Numeric = ColumnType<string, string | bigint, string | bigint>;
