import { sql } from "kysely";
import { type BlockSource, writeBlock } from "../../catapult/json/block.js";
import { type Bodies, type Entry, renderedBodies } from "./bodies.js";

/** Offsets in a record; numbers are big-endian. */
const HASH = 0;
const GENERATION_HASH = 32;
const TOTAL_FEE = 64;
const TRANSACTIONS_COUNT = 72;
const TOTAL_TRANSACTIONS_COUNT = 76;
const STATEMENTS_COUNT = 80;
const HEADER_SIZE = 84;
const HEADER = 88;

/** The header is followed by the roots under the state hash. */
const record = sql`(
  select d.hash || d.generation_hash || int8send(d.total_fee) || int4send(d.transactions_count)
    || int4send(d.total_transactions_count) || int4send(d.statements_count) || int4send(d.header_size)
    || substring(r.block from 1 for d.header_size) || r.sub_cache_merkle_roots
  from raw_blocks r where r.height = d.height)`;

function sourceOf(id: string, bytes: Buffer): BlockSource {
  const headerEnd = HEADER + bytes.readInt32BE(HEADER_SIZE);
  return {
    id,
    hash: bytes.subarray(HASH, GENERATION_HASH),
    generationHash: bytes.subarray(GENERATION_HASH, TOTAL_FEE),
    totalFee: bytes.readBigInt64BE(TOTAL_FEE),
    transactionsCount: bytes.readInt32BE(TRANSACTIONS_COUNT),
    totalTransactionsCount: bytes.readInt32BE(TOTAL_TRANSACTIONS_COUNT),
    statementsCount: bytes.readInt32BE(STATEMENTS_COUNT),
    header: bytes.subarray(HEADER, headerEnd),
    subCacheMerkleRoots: bytes.subarray(headerEnd),
  };
}

/** The bodies of `blocks`: rendered from the header in `raw_blocks`. */
export const BLOCK_BODIES: Bodies<Entry, Buffer> = renderedBodies({
  columns: [
    "height",
    "hash",
    "generation_hash",
    "total_fee",
    "transactions_count",
    "total_transactions_count",
    "statements_count",
    "header_size",
  ],
  record,
  sourceOf,
  write: writeBlock,
});
