import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { Logger } from "pino";
import { hex } from "../../catapult/entity/hex.js";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import type { Db } from "../../database/database.js";
import { findBlockHash, readRawBlocksWithin } from "../../database/queries/blocks.js";
import { SingleConnection } from "../../database/single-connection.js";
import { encodeChunk } from "./block-chunk.js";
import { SnapshotError } from "./errors.js";
import { FrameWriter } from "./frame.js";
import type { SnapshotHeader, SnapshotProgress } from "./header.js";
import { migrationsOf, writeTables } from "./tables.js";

/** Blocks of a chunk, and their bytes: what is read and compressed at one time. */
const CHUNK_BLOCKS = 256;
const CHUNK_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);
/** The first block is always final: there are no votes for its epoch. */
const FIRST_PROVEN_EPOCH = 2;

export interface SaveOptions {
  readonly databaseUrl: string;
  /** The file to create. */
  readonly file: string;
  /** Version of this program. */
  readonly program: string;
  readonly content: SnapshotHeader["content"];
  readonly log: Logger;
  /** Reads a node's proof of an epoch; without it, the snapshot has no proofs. */
  readonly proofOf?: ((epoch: number) => Promise<Buffer | undefined>) | undefined;
  readonly onProgress: (progress: SnapshotProgress) => void;
}

/** What was saved. */
export interface SaveReport {
  readonly height: number;
  readonly bytes: number;
  readonly proofs: number;
}

/**
 * Saves a snapshot of the index as it is now, from one transaction: an indexer may write meanwhile. The file has its
 * name when it is complete.
 * @throws SnapshotError when there is nothing to save; errors of database, node and file system as they are
 */
export async function saveSnapshot(options: SaveOptions, signal: AbortSignal): Promise<SaveReport> {
  const { databaseUrl, file } = options;
  if (existsSync(file)) throw new SnapshotError(`${file} exists already: choose another name, or delete it`);
  const partial = `${file}.partial`;
  const connection = await SingleConnection.open(databaseUrl, "symbol-gateway snapshot");
  let writer: FrameWriter | undefined;
  try {
    const created = await FrameWriter.create(partial);
    writer = created;
    const transaction = connection.db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
    const report = await transaction.execute((trx) => new Saving(options, trx, connection, created, signal).run());
    await created.end();
    writer = undefined;
    await rename(partial, file);
    return report;
  } finally {
    if (writer) {
      await writer.abandon();
      await rm(partial, { force: true });
    }
    await connection.close();
  }
}

class Saving {
  readonly #options: SaveOptions;
  readonly #db: Db;
  readonly #connection: SingleConnection;
  readonly #writer: FrameWriter;
  readonly #signal: AbortSignal;

  constructor(options: SaveOptions, db: Db, connection: SingleConnection, writer: FrameWriter, signal: AbortSignal) {
    this.#options = options;
    this.#db = db;
    this.#connection = connection;
    this.#writer = writer;
    this.#signal = signal;
  }

  async run(): Promise<SaveReport> {
    const { content, program } = this.#options;
    const head = await this.#db
      .selectFrom("head")
      .select(["height", "hash", "network_identifier", "generation_hash_seed", "ledger_height", "finalized_epoch"])
      .executeTakeFirst();
    if (!head || head.height === 0 || head.network_identifier === null || !head.generation_hash_seed) {
      throw new SnapshotError("Nothing is indexed yet: there is nothing to save");
    }
    const hasStatements = head.ledger_height === null;
    await this.#writer.write(
      {
        kind: "header",
        content,
        program,
        networkIdentifier: head.network_identifier,
        generationHashSeed: hex(head.generation_hash_seed),
        height: head.height,
        hash: hex(head.hash),
        hasStatements,
        migrations: content === "tables" ? await migrationsOf(this.#connection) : [],
      },
      NOTHING,
    );
    let proofs = 0;
    if (content === "blocks") {
      proofs = await this.#writeProofs(head.finalized_epoch, head.height);
      await this.#writeBlocks(head.height, hasStatements);
    } else {
      await writeTables(this.#connection, this.#db, this.#writer, { ...this.#options, signal: this.#signal });
    }
    await this.#writer.write({ kind: "end" }, NOTHING);
    return { height: head.height, bytes: this.#writer.written, proofs };
  }

  /** Proofs of blocks of this chain, the lowest epoch first. */
  async #writeProofs(newest: number, height: number): Promise<number> {
    const { proofOf, log } = this.#options;
    let written = 0;
    for (let epoch = FIRST_PROVEN_EPOCH; proofOf && epoch <= newest; ++epoch) {
      this.#signal.throwIfAborted();
      const bytes = await proofOf(epoch);
      const proof = bytes && decodeFinalizationProof(bytes);
      const isOfChain =
        proof && proof.height <= height && (await findBlockHash(this.#db, proof.height))?.equals(proof.hash);
      if (!isOfChain) {
        log.warn({ epoch }, "The node has no finalization proof of the epoch that proves a block of the index");
        continue;
      }
      await this.#writer.write({ kind: "proof", epoch }, bytes);
      written += 1;
    }
    return written;
  }

  async #writeBlocks(height: number, hasStatements: boolean): Promise<void> {
    for (let from = 1; from <= height; ) {
      this.#signal.throwIfAborted();
      const last = Math.min(height, from + CHUNK_BLOCKS - 1);
      const rows = await readRawBlocksWithin(this.#db, from, last, CHUNK_BYTES);
      if (rows.length === 0 || rows.some((row, index) => row.height !== from + index)) {
        throw new SnapshotError(`The database lacks the bytes of a block from ${from} to ${last}`);
      }
      const blocks = rows.map(({ block, statement, sub_cache_merkle_roots }) => ({
        bytes: block,
        statement: hasStatements ? statement : NOTHING,
        subCacheMerkleRoots: hasStatements ? sub_cache_merkle_roots : NOTHING,
      }));
      const { meta, body } = await encodeChunk(from, blocks);
      await this.#writer.write({ ...meta }, body);
      from += blocks.length;
      this.#options.onProgress({ stage: "saving", done: from - 1, total: height, unit: "blocks" });
    }
  }
}
