import { blockScore, NEMESIS_SCORE } from "../../../catapult/entity/block.js";
import type { Block } from "../../../catapult/entity/model.js";
import type { Db } from "../../../database/database.js";
import type { Finalization } from "../../../database/queries/head.js";
import { HeadMovedError } from "./errors.js";

/** A position in the chain. Height 0 with a hash of zeros is the position before the nemesis block. */
export interface ChainPosition {
  readonly height: number;
  readonly hash: Buffer;
}

/** The position before the nemesis block. */
export const BEFORE_NEMESIS: ChainPosition = { height: 0, hash: Buffer.alloc(32) };

/** What is final before the nemesis block. */
export const NOTHING_FINAL: Finalization = { epoch: 0, point: 0, ...BEFORE_NEMESIS };

/** The columns of the head row about its finalized block. */
export function finalizationColumns({ epoch, point, height, hash }: Finalization) {
  return { finalized_epoch: epoch, finalized_point: point, finalized_height: height, finalized_hash: hash };
}

/** The data of a block that the next one depends on. */
export interface ChainEnd extends ChainPosition {
  /** Milliseconds since the network's epoch adjustment; 0 before the nemesis block. */
  readonly timestamp: number;
  /** Chain score up to and including the block; 0 before the nemesis block. */
  readonly score: bigint;
}

/** The end of the chain after the next block. */
export function endAfter(end: ChainEnd, block: Block): ChainEnd {
  const { height, hash, timestamp } = block;
  return { height, hash, timestamp, score: height === 1 ? NEMESIS_SCORE : end.score + blockScore(end, block) };
}

/** Score and timestamp of a block of the index. @throws HeadMovedError when it does not exist */
export async function readPosition(db: Db, position: ChainPosition): Promise<ChainEnd> {
  const { height, hash } = position;
  if (height === 0) return { height, hash, score: 0n, timestamp: 0 };
  const row = await db
    .selectFrom("blocks")
    .select(["hash", "score", "timestamp"])
    .where("height", "=", height)
    .executeTakeFirst();
  if (!row?.hash.equals(hash)) throw new HeadMovedError(`Block ${height} is not the one to continue from`);
  return { height, hash, score: BigInt(row.score), timestamp: row.timestamp };
}
