import type { ListedEntries } from "../step/counters.js";
import type { DecodedChunk } from "./decode-chunk.js";
import { ExecutedState } from "./executed-state.js";
import { MergedLists } from "./packed-lists.js";

/** Bytes that are gathered at most, as they go to the database; a batch that is being written has as many. */
const BATCH_BYTES = 48 * 1024 * 1024;

/** Chunks in a row that are going to be written together. */
export class GatheredBatch {
  readonly chunks: DecodedChunk[] = [];
  #state: ExecutedState | undefined;
  #blocks = 0;
  #bytes = 0;

  get state(): ExecutedState | undefined {
    return this.#state;
  }

  get blocks(): number {
    return this.#blocks;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(chunk: DecodedChunk, state: ExecutedState | undefined): void {
    this.#addChunk(chunk);
    this.#addState(state);
  }

  /** Adds the blocks behind these. */
  append(later: GatheredBatch): void {
    for (const chunk of later.chunks) this.#addChunk(chunk);
    this.#addState(later.state);
  }

  lists(): ListedEntries[] {
    const merged = new MergedLists();
    for (const { lists } of this.chunks) merged.add(lists);
    return merged.lists();
  }

  #addChunk(chunk: DecodedChunk): void {
    this.chunks.push(chunk);
    this.#blocks += chunk.blocks;
    this.#bytes += chunk.lists.length + chunk.tables.reduce((total, { bytes }) => total + bytes.length, 0);
  }

  #addState(state: ExecutedState | undefined): void {
    if (!state) return;
    this.#state ??= new ExecutedState();
    this.#state.append(state);
  }
}

/**
 * Puts batches together. Blocks that are going to be proven wait for that where there is room: then nothing needs to be kept
 * of what they replaced, and the proofs of their generation hashes need not be verified.
 */
export class Gathering {
  #proven = new GatheredBatch();
  /** Behind these: blocks that only later ones prove. */
  #open = new GatheredBatch();

  add(chunk: DecodedChunk, state: ExecutedState | undefined): void {
    this.#open.add(chunk, state);
    if (state?.awaitsProof) return;
    if (this.#proven.blocks === 0) this.#proven = this.#open;
    else this.#proven.append(this.#open);
    this.#open = new GatheredBatch();
  }

  /** A batch of at least as many blocks, or with as many bytes as a batch may have; undefined where there is none yet. */
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
