import {
  CopyEncoder,
  type CopyValue,
  flaggedKeyNumber as flagged,
  keyNumber as key,
} from "../../../database/binary/copy.js";
import { copyInto } from "../../../database/binary/driver.js";
import { bytea, int4, int8, numeric, text, type WritableType } from "../../../database/binary/rows.js";
import type { Db } from "../../../database/database.js";
import { renumbered } from "../../../database/tables/embedded-flag.js";
import { CHAIN_TABLES, type Rows } from "./chain-tables.js";

/** Columns of a table, in the order of COPY. */
type Columns<T extends keyof Rows> = Readonly<Record<keyof Rows[T][number] & string, WritableType<unknown>>>;

/** The tables of blocks with the types of their columns, as created by the migrations. */
export const COPY_COLUMNS: { readonly [T in keyof Rows]: Columns<T> } = {
  blocks: {
    timestamp: int8,
    fee_multiplier: int8,
    total_fee: int8,
    height: int4,
    signer: key,
    beneficiary: key,
    harvester: key,
    transactions_count: int4,
    total_transactions_count: int4,
    statements_count: int4,
    header_size: int4,
    difficulty: numeric,
    score: numeric,
    hash: bytea,
    generation_hash: bytea,
  },
  transactions: {
    id: int8,
    deadline: int8,
    signer: flagged,
    recipient: flagged,
    type: int4,
    size: int4,
    hash: bytea,
    position: int4,
    embedded_size: int4,
  },
  transaction_addresses: { id: int8, account: flagged, type: int4 },
  transaction_mosaics: { id: int8, amount: int8, mosaic: flagged },
  transaction_statements: {
    id: int8,
    primary_id: int4,
    secondary_id: int4,
    position: int4,
    size: int4,
  },
  receipts: {
    statement_id: int8,
    amount: int8,
    sender: key,
    recipient: key,
    target: key,
    artifact: key,
    type: int4,
  },
  unknown_entities: { id: int8, place: text, type: int4, version: int4 },
  balance_changes: { change: int8, received: int8, mosaic: key, account: key, height: int4 },
  address_resolution_statements: { id: int8, unresolved: bytea, position: int4, size: int4 },
  mosaic_resolution_statements: { id: int8, unresolved: bytea, position: int4, size: int4 },
  namespace_registrations: { id: bytea, namespace_id: bytea, parent_id: bytea, name: text, duration: numeric },
};

/** The columns with numbers of keys. */
const KEY_COLUMNS = Object.entries(COPY_COLUMNS).map(([table, columns]) => ({
  table: table as keyof Rows,
  columns: Object.entries(columns).flatMap(([name, type]) =>
    type === key || type === flagged ? [{ name, isFlagged: type === flagged }] : [],
  ),
}));

/**
 * Replaces local numbers of keys in rows.
 * @param numbers by local number
 */
export function numberRows(rows: Rows, numbers: ArrayLike<number>): void {
  for (const { table, columns } of KEY_COLUMNS) {
    for (const row of rows[table] as unknown as Record<string, number | null>[]) {
      for (const { name, isFlagged } of columns) {
        const local = row[name];
        if (local === null || local === undefined) continue;
        row[name] = isFlagged ? renumbered(local, numbers) : (numbers[local] as number);
      }
    }
  }
}

export function copyRows(trx: Db, table: keyof Rows, parts: readonly Buffer[]): Promise<void> {
  return copyInto(trx, table, Object.keys(COPY_COLUMNS[table]), parts);
}

/** Encoded rows of one table, or a part of them. */
export interface CopiedRows {
  readonly table: keyof Rows;
  readonly rows: number;
  /** The bytes without header and trailer. */
  readonly bytes: Buffer;
}

/**
 * Size in bytes from which on rows are continued in other memory: growing what has tens of megabytes would need twice
 * as much.
 */
const PART_BYTES = 2 * 1024 * 1024;

export class RowsEncoder {
  readonly #encoders = new Map<keyof Rows, CopyEncoder>();
  readonly #full: CopiedRows[] = [];

  constructor() {
    for (const table of CHAIN_TABLES) this.#encoders.set(table, new CopyEncoder(COPY_COLUMNS[table]));
  }

  add(rows: Rows): void {
    for (const [table, encoder] of this.#encoders) {
      for (const row of rows[table] as unknown as Record<string, CopyValue>[]) encoder.row(row);
      if (encoder.bytes().length < PART_BYTES) continue;
      this.#full.push({ table, rows: encoder.rows, bytes: encoder.bytes() });
      this.#encoders.set(table, new CopyEncoder(COPY_COLUMNS[table]));
    }
  }

  /** All rows so far; those of a table may be in several parts, in order, and tables without rows are omitted. */
  tables(): CopiedRows[] {
    const begun = [...this.#encoders].filter(([, { rows }]) => rows > 0);
    return [...this.#full, ...begun.map(([table, encoder]) => ({ table, rows: encoder.rows, bytes: encoder.bytes() }))];
  }
}
