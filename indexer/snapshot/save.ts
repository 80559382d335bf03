import { open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { hex } from "../../catapult/entity/hex.js";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import type { Db } from "../../database/database.js";
import { findBlockHash, readRawBlocksWithin } from "../../database/queries/blocks.js";
import { SingleConnection } from "../../database/single-connection.js";
import { NEMESIS_EPOCH } from "../finality/voted-branch.js";
import { encodeHeader, encodeRecord, SnapshotError } from "./snapshot.js";

/** What is read and compressed at one time. */
const READ = { blocks: 256, bytes: 1024 * 1024 };

export interface SaveOptions {
  readonly databaseUrl: string;
  /** The file to create. */
  readonly file: string;
  /** Reads a node's proof of an epoch. */
  readonly proofOf: (epoch: number) => Promise<Buffer | undefined>;
  readonly onProgress?: (height: number, target: number) => void;
}

/**
 * Saves a snapshot of the index as it is now, from one transaction: an indexer may write meanwhile.
 * @returns the height of the newest block
 * @throws SnapshotError when there is nothing to save; errors of database, node and file system as they are
 */
export async function saveSnapshot(options: SaveOptions, signal: AbortSignal): Promise<number> {
  const output = (await open(options.file, "wx", 0o600)).createWriteStream({ flush: true });
  try {
    const connection = await SingleConnection.open(options.databaseUrl, "symbol-gateway snapshot");
    const transaction = connection.db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only");
    const saving = transaction.execute(async (db) => {
      const head = await db.selectFrom("head").selectAll().executeTakeFirst();
      if (!head?.height || !head.network_identifier || !head.generation_hash_seed) {
        throw new SnapshotError("Nothing is indexed yet: there is nothing to save");
      }
      const { height, finalized_height: finalizedHeight, network_identifier: networkIdentifier } = head;
      const generationHashSeed = hex(head.generation_hash_seed);
      output.write(encodeHeader({ networkIdentifier, generationHashSeed, height, finalizedHeight }));
      await pipeline(() => recordsOf(db, options, head), createGzip(), output, { signal });
      return height;
    });
    return await saving.finally(() => connection.close());
  } catch (error) {
    output.destroy();
    await rm(options.file);
    throw error;
  }
}

/** The blocks, and before those that a proof makes final the proof: so it is known when they are executed. */
async function* recordsOf(db: Db, options: SaveOptions, head: { height: number; finalized_epoch: number }) {
  let from = 1;
  for (let epoch = NEMESIS_EPOCH + 1; from <= head.height; ++epoch) {
    const bytes = epoch <= head.finalized_epoch ? await options.proofOf(epoch) : undefined;
    const proof = bytes && decodeFinalizationProof(bytes);
    const isOfChain = proof && (await findBlockHash(db, proof.height))?.equals(proof.hash);
    if (isOfChain) yield encodeRecord("proof", bytes);
    const to = isOfChain ? proof.height : epoch > head.finalized_epoch ? head.height : 0;
    while (from <= to) {
      const rows = await readRawBlocksWithin(db, from, Math.min(to, from + READ.blocks - 1), READ.bytes);
      if (rows[0]?.height !== from) throw new SnapshotError(`The database lacks the bytes of block ${from}`);
      yield Buffer.concat(rows.map(({ block }) => encodeRecord("block", block)));
      from += rows.length;
      options.onProgress?.(from - 1, head.height);
    }
  }
}
