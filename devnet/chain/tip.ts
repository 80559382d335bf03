import { readBlockPosition } from "./block-layout.js";
import type { Chain, ChainEntry, StoredBlock } from "./chain.js";

/** The data of an earlier block that the next block needs. */
export type TipBlock = Pick<ChainEntry, "height" | "timestamp" | "difficulty" | "hash" | "generationHash">;

/** The blocks below a new one: those of the chain up to a height, and others above them that are not in it yet. */
export class Tip {
  readonly #chain: Chain;
  readonly #from: number;
  readonly #above: TipBlock[] = [];

  constructor(chain: Chain, from = chain.height) {
    this.#chain = chain;
    this.#from = from;
  }

  get height(): number {
    return this.#from + this.#above.length;
  }

  /** The last block. */
  get head(): TipBlock {
    return this.at(this.height);
  }

  /** The block at a height from 1 to `height`. */
  at(height: number): TipBlock {
    return this.#above[height - this.#from - 1] ?? this.#chain.entry(height);
  }

  /** The last `count` blocks, or fewer if there are not so many, the oldest first. */
  last(count: number): TipBlock[] {
    const first = Math.max(1, this.height - count + 1);
    return Array.from({ length: this.height - first + 1 }, (_, index) => this.at(first + index));
  }

  /** Adds a block on top. */
  add({ block, hash, generationHash }: StoredBlock): void {
    const { height, timestamp, difficulty } = readBlockPosition(block);
    this.#above.push({ height, timestamp, difficulty, hash, generationHash });
  }
}
