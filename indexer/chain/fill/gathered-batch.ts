import { ExecutedState } from "../execution/executed-state.js";
import type { SourceBlock } from "../source/source.js";
import type { DecodedChunk } from "./decode-chunk.js";

/** Maximum bytes that are collected, in their database encoding; a batch that is being written has as many. */
const BATCH_BYTES = 32 * 1024 * 1024;

/** Consecutive chunks to be written together. */
export class GatheredBatch {
  readonly chunks: DecodedChunk[] = [];
  /** Of their blocks, unless these are stored already. */
  readonly raw: SourceBlock[] = [];
  readonly state = new ExecutedState();
  #blocks = 0;
  #bytes = 0;

  get blocks(): number {
    return this.#blocks;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: DecodedChunk, raw: readonly SourceBlock[], state: ExecutedState): void {
    this.#addChunk(chunk);
    this.#addRaw(raw);
    this.state.append(state);
  }

  /** Adds the blocks after these. */
  append(later: GatheredBatch): void {
    for (const chunk of later.chunks) this.#addChunk(chunk);
    this.#addRaw(later.raw);
    this.state.append(later.state);
  }

  #addChunk(chunk: DecodedChunk): void {
    this.chunks.push(chunk);
    this.#blocks += chunk.blocks;
    this.#bytes += chunk.lists.ids.byteLength + chunk.tables.reduce((total, { bytes }) => total + bytes.length, 0);
  }

  #addRaw(raw: readonly SourceBlock[]): void {
    this.raw.push(...raw);
    this.#bytes += raw.reduce((total, { bytes, statement }) => total + bytes.length + statement.length, 0);
  }
}

/**
 * Forms batches. Blocks that are about to be proven are held back if there is room: then the entries that they
 * replaced need not be stored, and the proofs of their generation hashes need not be verified.
 */
export class Gathering {
  #proven = new GatheredBatch();
  /** After these: blocks that only later ones prove. */
  #open = new GatheredBatch();

  add(chunk: DecodedChunk, raw: readonly SourceBlock[], state: ExecutedState): void {
    this.#open.add(chunk, raw, state);
    if (state.awaitsProof) return;
    if (this.#proven.blocks === 0) this.#proven = this.#open;
    else this.#proven.append(this.#open);
    this.#open = new GatheredBatch();
  }

  /**
   * A batch with at least this number of blocks, or with the maximum bytes of a batch; undefined if there is none
   * yet.
   */
  takeWide(blocks: number): GatheredBatch | undefined {
    const isFull = this.#proven.bytes + this.#open.bytes >= BATCH_BYTES;
    if (this.#proven.blocks > 0 && (this.#proven.blocks >= blocks || isFull)) return this.takeProven();
    return isFull ? this.takeOpen() : undefined;
  }

  takeProven(): GatheredBatch {
    const batch = this.#proven;
    this.#proven = new GatheredBatch();
    return batch;
  }

  takeOpen(): GatheredBatch {
    const batch = this.#open;
    this.#open = new GatheredBatch();
    return batch;
  }
}

/**
 * Target duration of writing a batch, in ms: short enough to lose little, and long enough that an account which many
 * blocks change is written once for them.
 */
const TARGET_MS = 8_000;
const FIRST_BLOCKS = 200;
/** A batch is held in memory. */
const MAX_BLOCKS = 10_000;
/** Maximum factor between the widths of two consecutive batches. */
const MAX_CHANGE = 2;

/** Number of blocks per database transaction, adapted to the duration of the last one. */
export class BatchWidth {
  #blocks = FIRST_BLOCKS;

  /** Number of blocks of the next batch. */
  get blocks(): number {
    return this.#blocks;
  }

  /** A batch of `blocks` was written in `ms` milliseconds. */
  wrote(blocks: number, ms: number): void {
    const fitting = (blocks * TARGET_MS) / Math.max(1, ms);
    const least = this.#blocks / MAX_CHANGE;
    const most = this.#blocks * MAX_CHANGE;
    this.#blocks = Math.max(1, Math.min(MAX_BLOCKS, Math.round(Math.min(most, Math.max(least, fitting)))));
  }
}
