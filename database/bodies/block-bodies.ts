import { type BlockSource, writeBlock } from "../../catapult/json/block.js";
import { encodeEntityId, formatEntityId } from "../../catapult/json/entity-id.js";
import { LENGTH_SIZE, sizeAt } from "../rows.js";
import { sql } from "../sql.js";
import { type Bodies, renderedBodies } from "./bodies.js";

/** Bytes from the height, which is the id, to the record. */
const ID = 4 + LENGTH_SIZE;
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
const record = {
  value: sql`d.hash || d.generation_hash || int8send(d.total_fee) || int4send(d.transactions_count)
    || int4send(d.total_transactions_count) || int4send(d.statements_count) || int4send(d.header_size)
    || substring(r.block from 1 for d.header_size) || r.sub_cache_merkle_roots`,
  block: sql`r.height = d.height`,
};

function sourceOf(bytes: Buffer, at: number): BlockSource {
  const header = at + HEADER;
  const headerEnd = header + bytes.readInt32BE(at + HEADER_SIZE);
  return {
    id: formatEntityId(encodeEntityId(bytes.readInt32BE(at - ID))),
    hash: bytes.subarray(at + HASH, at + GENERATION_HASH),
    generationHash: bytes.subarray(at + GENERATION_HASH, at + TOTAL_FEE),
    totalFee: bytes.readBigInt64BE(at + TOTAL_FEE),
    transactionsCount: bytes.readInt32BE(at + TRANSACTIONS_COUNT),
    totalTransactionsCount: bytes.readInt32BE(at + TOTAL_TRANSACTIONS_COUNT),
    statementsCount: bytes.readInt32BE(at + STATEMENTS_COUNT),
    header: bytes.subarray(header, headerEnd),
    subCacheMerkleRoots: bytes.subarray(headerEnd, at + sizeAt(bytes, at)),
  };
}

/** The bodies of `blocks`: rendered from the header in `raw_blocks`. */
export const BLOCK_BODIES: Bodies = renderedBodies({
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
