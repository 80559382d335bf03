import { type BlockSource, writeBlock } from "../../catapult/json/block.js";
import { HEIGHT_BYTES, ID_BYTES } from "../../catapult/json/entity-id.js";
import { int32At, int64At, LENGTH_SIZE, sizeAt } from "../rows.js";
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

/** Of the block that is being rendered: a page has many, and creating a buffer takes long. */
const currentId = Buffer.alloc(ID_BYTES);

/** As a `number` if it is exact, which takes a tenth of the time. */
function exactInt64At(bytes: Buffer, at: number): number | bigint {
  const value = int64At(bytes, at);
  return Number.isSafeInteger(value) ? value : bytes.readBigInt64BE(at);
}

function sourceOf(bytes: Buffer, at: number): BlockSource {
  const headerEnd = at + HEADER + int32At(bytes, at + HEADER_SIZE);
  currentId.writeUIntBE(int32At(bytes, at - ID), 0, HEIGHT_BYTES);
  return {
    id: currentId,
    bytes,
    hash: at + HASH,
    generationHash: at + GENERATION_HASH,
    totalFee: exactInt64At(bytes, at + TOTAL_FEE),
    transactionsCount: int32At(bytes, at + TRANSACTIONS_COUNT),
    totalTransactionsCount: int32At(bytes, at + TOTAL_TRANSACTIONS_COUNT),
    statementsCount: int32At(bytes, at + STATEMENTS_COUNT),
    header: at + HEADER,
    headerEnd,
    roots: headerEnd,
    rootsEnd: at + sizeAt(bytes, at),
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
