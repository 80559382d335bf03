import {
  CopyEncoder,
  type CopyValue,
  keyNumber as key,
  markedKeyNumber as marked,
} from "../../database/binary/copy.js";
import { bytea, int4, int8, numeric, text, type WritableType } from "../../database/binary/rows.js";
import { renumbered } from "../../database/tables/marks.js";
import type { Rows } from "./rows.js";

/** Columns of a table, in the order of COPY. */
type Columns<T extends keyof Rows> = Readonly<Record<keyof Rows[T][number] & string, WritableType<unknown>>>;

/** The tables of blocks with the types of their columns, as created by the migrations. */
export const COPY_COLUMNS: { readonly [T in keyof Rows]: Columns<T> } = {
  raw_blocks: { height: int8, block: bytea, statement: bytea, sub_cache_merkle_roots: bytea },
  blocks: {
    timestamp: int8,
    fee_multiplier: int8,
    total_fee: int8,
    height: int4,
    signer: key,
    beneficiary: key,
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
    signer: marked,
    recipient: marked,
    type: int4,
    size: int4,
    hash: bytea,
    position: int4,
    embedded_size: int4,
  },
  transaction_addresses: { id: int8, account: marked, type: int4 },
  transaction_mosaics: { id: int8, amount: int8, mosaic: marked },
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
  balance_changes: { change: int8, mosaic: key, account: key, height: int4 },
  address_resolution_statements: { id: int8, unresolved: bytea, position: int4, size: int4 },
  mosaic_resolution_statements: { id: int8, unresolved: bytea, position: int4, size: int4 },
};

/** A column with numbers of keys. */
export interface KeyColumn {
  readonly name: string;
  readonly isMarked: boolean;
}

const KEY_COLUMNS = Object.entries(COPY_COLUMNS).map(([table, columns]) => ({
  table: table as keyof Rows,
  columns: Object.entries(columns).flatMap(([name, type]): KeyColumn[] =>
    type === key || type === marked ? [{ name, isMarked: type === marked }] : [],
  ),
}));

/**
 * Replaces local numbers of keys in rows.
 * @param numbers by local number
 */
export function numberRows(rows: Rows, numbers: ArrayLike<number>): void {
  for (const { table, columns } of KEY_COLUMNS) {
    for (const row of rows[table] as unknown as Record<string, number | null>[]) {
      for (const { name, isMarked } of columns) {
        const local = row[name];
        if (local === null || local === undefined) continue;
        row[name] = isMarked ? renumbered(local, numbers) : (numbers[local] as number);
      }
    }
  }
}

/** Names of the tables, in the order of writing. */
export const COPIED_TABLES = Object.keys(COPY_COLUMNS) as readonly (keyof Rows)[];

/** Encoded rows of one table, or a part of them. */
export interface CopiedRows {
  readonly table: keyof Rows;
  readonly rows: number;
  /** Without header and trailer. */
  readonly bytes: Buffer;
  /** Where local numbers of keys are, see `replaceKeys`. */
  readonly references: Uint32Array<ArrayBuffer>;
}

/**
 * Size in bytes from which on rows are continued in other memory: growing what has tens of megabytes would need twice
 * as much.
 */
const PART_BYTES = 2 * 1024 * 1024;

interface EncodedTable {
  readonly table: keyof Rows;
  readonly names: readonly string[];
  readonly types: readonly WritableType<unknown>[];
  encoder: CopyEncoder;
}

/** Encodes rows of all tables. */
export class RowsEncoder {
  readonly #tables: readonly EncodedTable[];
  readonly #full: CopiedRows[] = [];

  /** @param except tables whose rows are omitted */
  constructor(except: readonly (keyof Rows)[] = []) {
    this.#tables = COPIED_TABLES.filter((table) => !except.includes(table)).map((table) => {
      const columns = Object.entries(COPY_COLUMNS[table]) as [string, WritableType<unknown>][];
      const types = columns.map(([, type]) => type);
      return { table, names: columns.map(([name]) => name), types, encoder: new CopyEncoder(types) };
    });
  }

  add(rows: Rows): void {
    for (const one of this.#tables) {
      const { names } = one;
      for (const row of rows[one.table] as unknown as Record<string, CopyValue>[]) {
        one.encoder.record(names, row);
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
  return { table, rows: encoder.rows, bytes: encoder.bytes(), references: encoder.references() };
}
