import type { Insertable } from "kysely";
import { encodeEntityId, entityNumber } from "../../../catapult/json/entity-id.js";
import type { Database } from "../../../database/database.js";

/**
 * Tables whose rows are made from blocks alone, in the order of writing. Of each, the column with the position of a row
 * in the chain: a height, or an id.
 */
export const POSITION_COLUMNS = {
  blocks: "height",
  transactions: "id",
  transaction_addresses: "id",
  transaction_mosaics: "id",
  transaction_statements: "id",
  receipts: "statement_id",
  unknown_entities: "id",
  balance_changes: "height",
  address_resolution_statements: "id",
  mosaic_resolution_statements: "id",
  namespace_registrations: "id",
} as const satisfies { readonly [T in keyof Database]?: keyof Database[T] };

export type ChainTable = keyof typeof POSITION_COLUMNS;

export const CHAIN_TABLES = Object.keys(POSITION_COLUMNS) as readonly ChainTable[];

/** All rows of one or more blocks, by table, without those of their bytes. */
export type Rows = { readonly [T in ChainTable]: Insertable<Database[T]>[] };

export function emptyRows(): Rows {
  return Object.fromEntries(CHAIN_TABLES.map((table) => [table, []])) as unknown as Rows;
}

/** The lowest value of that column in rows of a block. */
export function computeFirstValue(table: ChainTable, height: number): number | bigint | Buffer {
  if (POSITION_COLUMNS[table] === "height") return height;
  return table === "namespace_registrations" ? encodeEntityId(height) : entityNumber(height);
}
