import { to as copyTo } from "pg-copy-streams";
import { CopyDecoder } from "../../../database/binary/copy.js";
import { bytea, int8, RowType } from "../../../database/binary/rows.js";
import type { Db } from "../../../database/database.js";
import { readRawBlocks } from "../../../database/queries/blocks.js";
import { SingleConnection } from "../../../database/single-connection.js";
import { readBlockHash, readProvenBranches, type VotedBranches } from "../finality/votes.js";
import { NOTHING_FINAL } from "../step/chain-position.js";
import { BackfillRangeError } from "../step/errors.js";
import { MAX_RANGE } from "../step/range-limit.js";
import type { RawBlock } from "../step/raw-rows.js";
import type { Source, SourceChain } from "./source.js";

/** Blocks that are read in one snapshot of the database: while it exists, replaced rows of other tables stay. */
const PAGE_BLOCKS = 4_096;
/** Bytes that are read ahead. */
const AHEAD_BYTES = 4 * 1024 * 1024;

/**
 * Blocks from the database, as once received from nodes, and what votes have proven about them since. The index is at
 * most at the newest of them.
 */
export class RawSource implements Source {
  readonly name = "The database";
  readonly isStored = true;
  readonly servedBy = undefined;
  readonly #db: Db;
  readonly #databaseUrl: string;

  constructor(db: Db, databaseUrl: string) {
    this.#db = db;
    this.#databaseUrl = databaseUrl;
  }

  /** Nothing is claimed to be final: `branches` has what is proven. @throws BackfillRangeError when there are no blocks */
  async chain(): Promise<SourceChain> {
    const newest = this.#db.selectFrom("raw_blocks").select("height").orderBy("height", "desc").limit(1);
    const row = await newest.executeTakeFirst();
    if (!row) throw new BackfillRangeError("The database has no bytes of blocks");
    return { height: row.height, score: 0n, finalized: NOTHING_FINAL };
  }

  async blockHashes(from: number, count: number): Promise<readonly Buffer[]> {
    return (await this.blocks(from, from + count - 1)).flatMap((bytes) => readBlockHash(bytes) ?? []);
  }

  async finalizationProofAtEpoch(): Promise<undefined> {
    return undefined;
  }

  branches(): Promise<VotedBranches> {
    return readProvenBranches(this.#db);
  }

  async blocks(from: number, to: number): Promise<readonly Buffer[]> {
    const last = Math.min(to, from + MAX_RANGE.maxBlocks - 1);
    return (await readRawBlocks(this.#db, from, last)).map(({ block }) => block);
  }

  /** In COPY's binary format, because as results of a query PostgreSQL would write all bytes as hex digits. */
  async *read(from: number, to: number): AsyncGenerator<readonly RawBlock[]> {
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
async function* readPage({ client }: SingleConnection, from: number, to: number): AsyncGenerator<readonly RawBlock[]> {
  const columns = Object.keys(RAW_BLOCK.columns).join(", ");
  const page = `select ${columns} from raw_blocks where height between ${from} and ${to} order by height`;
  const stream = client.query(copyTo(`copy (${page}) to stdout (format binary)`, { highWaterMark: AHEAD_BYTES }));
  // The stream also fails when the connection is closed early: the loop below has ended then.
  stream.on("error", () => undefined);
  const decoder = new CopyDecoder(RAW_BLOCK);
  let height = from;
  for await (const chunk of stream) {
    const blocks: RawBlock[] = [];
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
