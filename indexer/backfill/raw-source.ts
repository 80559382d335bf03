import type { Db } from "../../database/database.js";
import { readRawBlocksWithin } from "../../database/queries/blocks.js";
import { BackfillRangeError } from "./errors.js";
import type { BlockSource, SourceBlock } from "./source.js";

const PAGE_BLOCKS = 512;
const PAGE_BYTES = 8 * 1024 * 1024;

/** Blocks from the database, as once received from nodes. While a page is processed, the next one is read. */
export class RawSource implements BlockSource {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async *read(from: number, to: number): AsyncGenerator<readonly SourceBlock[]> {
    let page = this.#page(from, to);
    for (let height = from; height <= to; ) {
      const blocks = await page;
      height += blocks.length;
      if (height <= to) page = this.#page(height, to);
      page.catch(() => undefined);
      yield blocks;
    }
  }

  async #page(from: number, to: number): Promise<readonly SourceBlock[]> {
    const last = Math.min(to, from + PAGE_BLOCKS - 1);
    const rows = await readRawBlocksWithin(this.#db, from, last, PAGE_BYTES);
    if (rows.length === 0 || rows.some(({ height }, index) => height !== from + index)) {
      throw new BackfillRangeError(`The database lacks the bytes of a block from ${from} to ${last}`);
    }
    return rows.map(({ block, statement, sub_cache_merkle_roots }) => ({
      bytes: block,
      statement,
      subCacheMerkleRoots: sub_cache_merkle_roots,
    }));
  }
}
