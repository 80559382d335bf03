import { computeGenerationHash } from "../../catapult/entity/hashes.js";
import type { Block } from "../../catapult/entity/model.js";
import type { BlockStatistic } from "./difficulty.js";

/** The data of a block for the rules of later headers. */
export interface HeaderFacts extends BlockStatistic {
  readonly height: number;
  /** 32 bytes, like the next. */
  readonly hash: Buffer;
  readonly generationHash: Buffer;
}

/** The data of a block for later headers, without its bytes. The generation hash is computed on demand. */
export function copyHeaderFacts(block: Block): HeaderFacts {
  const { height, hash, timestamp, difficulty } = block;
  const gamma = Buffer.from(block.entity.generationHashProof.gamma);
  let generationHash: Buffer | undefined;
  return {
    height,
    hash,
    timestamp,
    difficulty,
    get generationHash() {
      generationHash ??= computeGenerationHash(gamma);
      return generationHash;
    },
  };
}

/** The newest blocks of a chain, consecutive, oldest first. */
export class HeaderWindow {
  #headers: HeaderFacts[];

  /** @throws RangeError unless the heights are consecutive */
  constructor(headers: readonly HeaderFacts[] = []) {
    this.#headers = [];
    for (const header of headers) this.push(header);
  }

  get head(): HeaderFacts | undefined {
    return this.#headers.at(-1);
  }

  /** A block by its height; undefined if it is not included. */
  at(height: number): HeaderFacts | undefined {
    return this.#headers[height - (this.#headers[0]?.height ?? 0)];
  }

  /** The `count` newest, oldest first. */
  last(count: number): readonly HeaderFacts[] {
    return this.#headers.slice(-count);
  }

  /** @throws RangeError unless the block follows the newest one */
  push(header: HeaderFacts): void {
    const { head } = this;
    if (head && header.height !== head.height + 1)
      throw new RangeError(`block ${header.height} does not follow block ${head.height}`);
    this.#headers.push(header);
  }

  /** Drops all blocks above `height`. */
  truncate(height: number): void {
    while ((this.head?.height ?? 0) > height) this.#headers.pop();
  }

  /** Drops all blocks below `height`. */
  forgetBelow(height: number): void {
    const count = height - (this.#headers[0]?.height ?? height);
    if (count > 0) this.#headers = this.#headers.slice(count);
  }
}
