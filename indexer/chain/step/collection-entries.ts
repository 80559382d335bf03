import { sql } from "kysely";
import type { Db } from "../../../database/database.js";
import { Collection, TRANSACTION_LISTS, TYPE_RANGE } from "../../../database/lists/collections.js";
import { hasEmbeddedFlag, withoutEmbeddedFlag } from "../../../database/tables/embedded-flag.js";
import { type ChainTable, computeFirstValue, POSITION_COLUMNS, type Rows } from "./chain-tables.js";

/** The columns that determine the lists of a row. */
const COUNTED_COLUMNS = {
  blocks: ["height", "signer", "beneficiary", "harvester"],
  transactions: ["id", "signer", "recipient", "type"],
  transaction_addresses: ["id", "account", "type"],
  transaction_mosaics: ["id", "mosaic"],
  transaction_statements: ["id"],
  receipts: ["statement_id", "sender", "recipient", "target", "artifact", "type"],
  address_resolution_statements: ["id"],
  mosaic_resolution_statements: ["id"],
} as const satisfies { readonly [T in ChainTable]?: readonly (keyof Rows[T][number])[] };

/** Rows with these columns. */
type CountedRows = {
  readonly [T in keyof typeof COUNTED_COLUMNS]: readonly Pick<
    Rows[T][number],
    Extract<keyof Rows[T][number], (typeof COUNTED_COLUMNS)[T][number]>
  >[];
};

/** The rows of all blocks from `height` on. */
export async function readCountedRows(db: Db, height: number): Promise<CountedRows> {
  const found: Partial<Record<ChainTable, unknown>> = {};
  for (const table of Object.keys(COUNTED_COLUMNS) as (keyof CountedRows)[]) {
    const position = POSITION_COLUMNS[table];
    const { rows } = await sql<Record<string, number | bigint>>`
      select ${sql.join(COUNTED_COLUMNS[table].map((column) => sql.ref(column)))} from ${sql.table(table)}
      where ${sql.ref(position)} >= ${computeFirstValue(table, height)}`.execute(db);
    // The driver returns small ids as numbers.
    found[table] = position === "height" ? rows : rows.map((row) => ({ ...row, [position]: BigInt(row[position]!) }));
  }
  return found as CountedRows;
}

/** Receives one entry of a counted list: its collection and key, and the id of an entity, or the height of a block. */
export type ListAdder = (collection: Collection, key: number, id: bigint) => void;

/**
 * The counted lists of these rows: the only definition, for writing and for rolling back. An entry may occur twice,
 * and counts once. Numbers of lists have the same numbers of keys as the rows.
 */
export function addCollectionEntries(rows: CountedRows, add: ListAdder): void {
  for (const { height, signer, beneficiary, harvester } of rows.blocks) {
    const id = BigInt(height);
    add(Collection.blocks, 0, id);
    add(Collection.blocksBySigner, signer, id);
    add(Collection.blocksByBeneficiary, beneficiary, id);
    add(Collection.blocksByHarvester, harvester, id);
  }
  for (const { id, signer, recipient, type } of rows.transactions) {
    const lists = listsOf(type);
    add(Collection.transactionsAll, 0, id);
    if (lists === TRANSACTION_LISTS.top) add(Collection.transactionsTop, 0, id);
    add(lists.bySigner, withoutEmbeddedFlag(signer), id);
    add(lists.byType, withoutEmbeddedFlag(type), id);
    if (recipient != null) add(lists.byRecipient, withoutEmbeddedFlag(recipient), id);
  }
  for (const { id, account, type } of rows.transaction_addresses) {
    const lists = listsOf(account);
    const number = withoutEmbeddedFlag(account);
    add(lists.byAddress, number, id);
    add(lists.byAddressAndType, number * TYPE_RANGE + type, id);
  }
  for (const { id, mosaic } of rows.transaction_mosaics) add(listsOf(mosaic).byMosaic, withoutEmbeddedFlag(mosaic), id);
  for (const { id } of rows.transaction_statements) add(Collection.transactionStatements, 0, id);
  addStatementsByReceipt(rows.receipts, add);
  for (const { id } of rows.address_resolution_statements) add(Collection.addressResolutions, 0, id);
  for (const { id } of rows.mosaic_resolution_statements) add(Collection.mosaicResolutions, 0, id);
}

/** The lists of top-level or of embedded transactions, by a flagged number. */
function listsOf(flagged: number): (typeof TRANSACTION_LISTS)[keyof typeof TRANSACTION_LISTS] {
  return hasEmbeddedFlag(flagged) ? TRANSACTION_LISTS.embedded : TRANSACTION_LISTS.top;
}

/** A statement is in the list of a key however many of its receipts have it: so entries may occur twice. */
function addStatementsByReceipt(receipts: CountedRows["receipts"], add: ListAdder): void {
  for (const { statement_id: id, sender, recipient, target, artifact, type } of receipts) {
    add(Collection.transactionStatementsByType, type, id);
    if (sender != null) add(Collection.transactionStatementsBySender, sender, id);
    if (recipient != null) add(Collection.transactionStatementsByRecipient, recipient, id);
    if (target != null) add(Collection.transactionStatementsByTarget, target, id);
    if (artifact != null) add(Collection.transactionStatementsByArtifact, artifact, id);
  }
}
