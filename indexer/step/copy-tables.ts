import { CopyEncoder, type CopyType, type CopyValue } from "./copy-encoder.js";
import type { Rows } from "./rows.js";

/** Columns of a table, in the order of COPY. */
type Columns<T extends keyof Rows> = Readonly<Record<keyof Rows[T][number] & string, CopyType>>;

/** The tables of blocks with the types of their columns, as created by the migrations. */
export const COPY_COLUMNS: { readonly [T in keyof Rows]: Columns<T> } = {
  raw_blocks: { height: "int8", block: "bytea", statement: "bytea", sub_cache_merkle_roots: "bytea" },
  blocks: {
    height: "int4",
    hash: "bytea",
    generation_hash: "bytea",
    type: "int4",
    timestamp: "int8",
    difficulty: "numeric",
    score: "numeric",
    fee_multiplier: "int8",
    total_fee: "int8",
    signer_public_key: "bytea",
    signer_address: "bytea",
    beneficiary_address: "bytea",
    transactions_count: "int4",
    total_transactions_count: "int4",
    statements_count: "int4",
    size: "int4",
    document: "text",
  },
  transactions: {
    id: "id",
    embedded: "bool",
    hash: "bytea",
    merkle_component_hash: "bytea",
    type: "int4",
    version: "int2",
    signer_public_key: "bytea",
    signer_address: "bytea",
    recipient_address: "bytea",
    max_fee: "int8",
    fee: "int8",
    deadline: "int8",
    size: "int4",
    document: "text",
  },
  transaction_addresses: { address: "bytea", id: "id", embedded: "bool", type: "int4" },
  transaction_mosaics: { mosaic_id: "bytea", id: "id", embedded: "bool", amount: "int8" },
  transaction_statements: {
    id: "id",
    primary_id: "int4",
    secondary_id: "int4",
    hash: "bytea",
    document: "text",
  },
  receipts: {
    statement_id: "id",
    index: "int4",
    type: "int4",
    sender_address: "bytea",
    recipient_address: "bytea",
    target_address: "bytea",
    mosaic_id: "bytea",
    amount: "int8",
    artifact_id: "bytea",
  },
  unknown_entities: { id: "id", place: "text", type: "int4", version: "int4" },
  balance_changes: { mosaic_id: "bytea", address: "bytea", height: "int8", change: "int8" },
  address_resolution_statements: { id: "id", unresolved: "bytea", hash: "bytea", document: "text" },
  mosaic_resolution_statements: { id: "id", unresolved: "bytea", hash: "bytea", document: "text" },
};

/** Names of the tables, in the order of writing. */
export const COPIED_TABLES = Object.keys(COPY_COLUMNS) as readonly (keyof Rows)[];

/** Encoded rows of one table, or a part of them. */
export interface CopiedRows {
  readonly table: keyof Rows;
  readonly rows: number;
  /** Without header and trailer. */
  readonly bytes: Buffer;
}

/**
 * Size in bytes from which on rows are continued in other memory: growing what has tens of megabytes would need twice
 * as much.
 */
const PART_BYTES = 2 * 1024 * 1024;

interface EncodedTable {
  readonly table: keyof Rows;
  readonly names: readonly string[];
  readonly types: readonly CopyType[];
  encoder: CopyEncoder;
}

/** Encodes rows of all tables. */
export class RowsEncoder {
  readonly #tables: readonly EncodedTable[];
  readonly #full: CopiedRows[] = [];

  /** @param except tables whose rows are omitted */
  constructor(except: readonly (keyof Rows)[] = []) {
    this.#tables = COPIED_TABLES.filter((table) => !except.includes(table)).map((table) => {
      const columns = Object.entries(COPY_COLUMNS[table]) as [string, CopyType][];
      const types = columns.map(([, type]) => type);
      return { table, names: columns.map(([name]) => name), types, encoder: new CopyEncoder(types) };
    });
  }

  add(rows: Rows): void {
    for (const one of this.#tables) {
      const { names } = one;
      for (const row of rows[one.table] as unknown as Record<string, CopyValue>[]) {
        one.encoder.row(names.map((name) => row[name]));
      }
      if (one.encoder.bytes().length < PART_BYTES) continue;
      this.#full.push(copiedRows(one));
      one.encoder = new CopyEncoder(one.types);
    }
  }

  /** All rows so far; those of a table may be in several parts, in order, and tables without rows are omitted. */
  tables(): CopiedRows[] {
    return [...this.#full, ...this.#tables.filter(({ encoder }) => encoder.rows > 0).map(copiedRows)];
  }
}

function copiedRows({ table, encoder }: EncodedTable): CopiedRows {
  return { table, rows: encoder.rows, bytes: encoder.bytes() };
}
