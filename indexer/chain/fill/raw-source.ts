import { to as copyTo } from "pg-copy-streams";
import { CopyDecoder } from "../../../database/binary/copy.js";
import { bytea, int8, RowType } from "../../../database/binary/rows.js";
import { SingleConnection } from "../../../database/single-connection.js";
import { BackfillRangeError } from "../step/errors.js";
import type { BlockSource, SourceBlock } from "./source.js";

/** Blocks that are read in one snapshot of the database: while it exists, replaced rows of other tables stay. */
const PAGE_BLOCKS = 4_096;
/** Bytes that are read ahead. */
const AHEAD_BYTES = 4 * 1024 * 1024;

/**
 * Blocks from the database, as once received from nodes: in COPY's binary format, because as results of a query
 * PostgreSQL would write all bytes as hex digits.
 */
export class RawSource implements BlockSource {
  readonly #databaseUrl: string;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  async *read(from: number, to: number): AsyncGenerator<readonly SourceBlock[]> {
    const connection = await SingleConnection.open(this.#databaseUrl, "symbol-gateway backfill");
    try {
      for (let first = from; first <= to; first += PAGE_BLOCKS) {
        yield* readPage(connection, first, Math.min(to, first + PAGE_BLOCKS - 1));
      }
    } finally {
      await connection.close();
    }
  }
}

const RAW_BLOCK = new RowType({ height: int8, block: bytea, statement: bytea, sub_cache_merkle_roots: bytea });

/** @throws BackfillRangeError when a block is missing */
async function* readPage(
  { client }: SingleConnection,
  from: number,
  to: number,
): AsyncGenerator<readonly SourceBlock[]> {
  const columns = Object.keys(RAW_BLOCK.columns).join(", ");
  const page = `select ${columns} from raw_blocks where height between ${from} and ${to} order by height`;
  const stream = client.query(copyTo(`copy (${page}) to stdout (format binary)`, { highWaterMark: AHEAD_BYTES }));
  // It also fails when the connection is closed early: the loop below has ended then.
  stream.on("error", () => undefined);
  const decoder = new CopyDecoder(RAW_BLOCK);
  let height = from;
  for await (const chunk of stream) {
    const blocks: SourceBlock[] = [];
    for (const row of decoder.rows(chunk as Buffer)) {
      if (row.height !== height) throw missing(height);
      const { block: bytes, statement, sub_cache_merkle_roots: subCacheMerkleRoots } = row;
      blocks.push({ bytes, statement, subCacheMerkleRoots });
      height += 1;
    }
    if (blocks.length > 0) yield blocks;
  }
  if (height <= to) throw missing(height);
}

function missing(height: number): BackfillRangeError {
  return new BackfillRangeError(`The database lacks the bytes of block ${height}`);
}
