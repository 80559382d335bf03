import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import { type ChainEnd, endAfter } from "./chain-position.js";
import type { Rows } from "./chain-tables.js";
import { addCollectionEntries } from "./collection-entries.js";
import { type CopiedRows, RowsEncoder } from "./copy-tables.js";
import { ListGatherer } from "./counters.js";
import { type GatheredKey, KeyGatherer } from "./key-gatherer.js";
import { type PackedLists, packLists } from "./packed-lists.js";
import { rowPortions } from "./rows.js";

/** The rows of consecutive blocks, without those of their bytes, in the form of the database. */
export interface EncodedRows {
  readonly tables: readonly CopiedRows[];
  /** What local numbers in rows and lists refer to. */
  readonly keys: readonly GatheredKey[];
  readonly lists: PackedLists;
  /** Of entities that this program does not know, also among the tables. */
  readonly unknown: Rows["unknown_entities"];
}

/** Makes the rows of consecutive blocks, some blocks at a time. */
export class RowMaker {
  /** Durations in ms: of rows and lists, and of encoding them for the database. */
  readonly times = { render: 0, encode: 0 };
  readonly #encoder = new RowsEncoder();
  readonly #keys = new KeyGatherer();
  readonly #lists = new ListGatherer();
  readonly #unknown: EncodedRows["unknown"] = [];
  #end: ChainEnd;

  /** @param parent of the first block */
  constructor(parent: ChainEnd) {
    this.#end = parent;
  }

  add(blocks: readonly VerifiedBlock[]): void {
    const startedAt = performance.now();
    let encodeMs = 0;
    const scored = blocks.map((block) => {
      this.#end = endAfter(this.#end, block);
      return { block, score: this.#end.score };
    });
    for (const rows of rowPortions(scored, this.#keys)) {
      addCollectionEntries(rows, this.#lists.add);
      this.#unknown.push(...rows.unknown_entities);
      const encodingSince = performance.now();
      this.#encoder.add(rows);
      encodeMs += performance.now() - encodingSince;
    }
    this.times.render += performance.now() - startedAt - encodeMs;
    this.times.encode += encodeMs;
  }

  rows(): EncodedRows {
    const startedAt = performance.now();
    const lists = packLists(this.#lists.lists());
    this.times.render += performance.now() - startedAt;
    return { tables: this.#encoder.tables(), keys: this.#keys.keys, lists, unknown: this.#unknown };
  }
}
