import { type RawBuilder, sql } from "kysely";
import { type BlockSource, writeBlock } from "../../catapult/json/block.js";
import { bytea, int4, int8, type RowOf } from "../binary/rows.js";
import { type Bodies, type Entry, RenderedEntry } from "./bodies.js";
import { BLOCK_IDS, type IdForm } from "./id-form.js";

const columns = {
  hash: bytea,
  generation_hash: bytea,
  total_fee: int8,
  transactions_count: int4,
  total_transactions_count: int4,
  statements_count: int4,
  header: bytea,
  roots: bytea,
};

type BlockRow = RowOf<typeof columns & { readonly id: typeof int4 }>;

const values: Readonly<Record<string, RawBuilder<unknown>>> = { header: sql`r.header`, roots: sql`r.roots` };

function makeSource(row: BlockRow): BlockSource {
  return {
    height: row.id,
    hash: row.hash,
    generationHash: row.generation_hash,
    totalFee: row.total_fee,
    transactionsCount: row.transactions_count,
    totalTransactionsCount: row.total_transactions_count,
    statementsCount: row.statements_count,
    header: row.header,
    roots: row.roots,
  };
}

const bodies: Bodies<Entry, BlockRow> = {
  ids: BLOCK_IDS as IdForm,
  columns,
  values,
  stored: [
    "height",
    "hash",
    "generation_hash",
    "total_fee",
    "transactions_count",
    "total_transactions_count",
    "statements_count",
    "header_size",
  ],
  block: sql`
    select substring(block from 1 for d.header_size) as header, sub_cache_merkle_roots as roots
    from raw_blocks where height = d.height`,
  entry: (row) => new RenderedEntry(BLOCK_IDS.toBytes(row.id), writeBlock, makeSource(row)),
  write: (writer, row) => void writeBlock(writer, makeSource(row), 0),
};

/** The bodies of `blocks`: rendered from the header in `raw_blocks`. */
export const BLOCK_BODIES = bodies as Bodies;
