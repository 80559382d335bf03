import type { Block } from "../../../catapult/entity/model.js";
import { ExecutedState } from "../execution/executed-state.js";
import type { SourceBlock } from "../source/source.js";
import type { DecodedChunk } from "./decode-chunk.js";
import type { VerifiedChunk } from "./verified-range.js";

/** Consecutive chunks to be written together. */
export class GatheredBatch {
  readonly chunks: DecodedChunk[] = [];
  /** Of their blocks, unless these are stored already. */
  readonly raw: SourceBlock[] = [];
  /** The blocks, decoded. */
  readonly decoded: Block[] = [];
  readonly state = new ExecutedState();
  #blocks = 0;
  #bytes = 0;

  get blocks(): number {
    return this.#blocks;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add({ decoded, raw, blocks, state }: VerifiedChunk): void {
    this.#addChunk(decoded);
    this.#addRaw(raw);
    this.decoded.push(...blocks);
    this.state.append(state);
  }

  /** Adds the blocks after these. */
  append(later: GatheredBatch): void {
    for (const chunk of later.chunks) this.#addChunk(chunk);
    this.#addRaw(later.raw);
    this.decoded.push(...later.decoded);
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
  readonly #maxBytes: number;
  #proven = new GatheredBatch();
  /** After these: blocks that only later ones prove. */
  #open = new GatheredBatch();

  /** @param maxBytes maximum that is collected, in the database encoding; a batch that is being written has as many */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(chunk: VerifiedChunk): void {
    this.#open.add(chunk);
    if (chunk.state.awaitsProof) return;
    if (this.#proven.blocks === 0) this.#proven = this.#open;
    else this.#proven.append(this.#open);
    this.#open = new GatheredBatch();
  }

  /**
   * A batch with at least this number of blocks, or with the maximum bytes of a batch; undefined if there is none
   * yet.
   */
  takeWide(blocks: number): GatheredBatch | undefined {
    const isFull = this.#proven.bytes + this.#open.bytes >= this.#maxBytes;
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

/** Maximum factor between the widths of two consecutive batches. */
const MAX_CHANGE = 2;
/** How much is written in one transaction. */
export interface BatchLimits {
  /** Blocks of the first one. */
  readonly first: number;
  /** Blocks of any. */
  readonly most: number;
  /** How long writing one should take, ms. */
  readonly targetMs: number;
  /** In the encoding of the database. */
  readonly maxBytes: number;
}

/** Number of blocks per database transaction, adapted to the duration of the last one. */
export class BatchWidth {
  readonly #limits: BatchLimits;
  #blocks: number;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
    this.#blocks = limits.first;
  }

  /** Number of blocks of the next batch. */
  get blocks(): number {
    return this.#blocks;
  }

  /** A batch of `blocks` was written in `ms` milliseconds. */
  wrote(blocks: number, ms: number): void {
    const fitting = (blocks * this.#limits.targetMs) / Math.max(1, ms);
    const least = this.#blocks / MAX_CHANGE;
    const most = this.#blocks * MAX_CHANGE;
    this.#blocks = Math.max(1, Math.min(this.#limits.most, Math.round(Math.min(most, Math.max(least, fitting)))));
  }
}
