import type { Insertable } from "kysely";
import type { VerifiedBlock } from "../../../catapult/entity/model.js";
import type { NamespaceRegistrationTable } from "../../../database/tables/state.js";
import { type ChainEnd, endAfter } from "./chain-position.js";
import { addCollectionEntries } from "./collection-entries.js";
import { type CopiedRows, RowsEncoder } from "./copy-tables.js";
import { ListGatherer } from "./counters.js";
import { type GatheredKey, KeyGatherer } from "./key-gatherer.js";
import { type PackedLists, packLists } from "./packed-lists.js";
import { registrationRows } from "./registrations.js";
import { rowPortions, type ScoredBlock } from "./rows.js";
import { type FoundUnknown, unknownIn } from "./unknown-rows.js";

/** The rows of consecutive blocks, without those of their bytes, in the form of the database. */
export interface EncodedRows {
  readonly tables: readonly CopiedRows[];
  /** What local numbers in rows and lists refer to. */
  readonly keys: readonly GatheredKey[];
  readonly lists: PackedLists;
  readonly registrations: readonly Insertable<NamespaceRegistrationTable>[];
  readonly unknown: readonly FoundUnknown[];
}

/** Durations of making rows, in ms. */
export interface RowTimes {
  /** Rows and lists. */
  readonly render: number;
  /** Encoding for the database. */
  readonly encode: number;
}

/** Makes the rows of consecutive blocks, some blocks at a time. */
export class RowMaker {
  readonly times = { render: 0, encode: 0 };
  readonly #encoder = new RowsEncoder();
  readonly #keys = new KeyGatherer();
  readonly #lists = new ListGatherer();
  readonly #registrations: Insertable<NamespaceRegistrationTable>[] = [];
  readonly #unknown: FoundUnknown[] = [];
  #end: ChainEnd;

  /** @param parent of the first block */
  constructor(parent: ChainEnd) {
    this.#end = parent;
  }

  /** The last block so far. */
  get end(): ChainEnd {
    return this.#end;
  }

  add(blocks: readonly VerifiedBlock[]): void {
    const startedAt = performance.now();
    let encodeMs = 0;
    const scored = blocks.map((block) => this.#note(block));
    for (const rows of rowPortions(scored, this.#keys)) {
      addCollectionEntries(rows, this.#lists.add);
      const encodingSince = performance.now();
      this.#encoder.add(rows);
      encodeMs += performance.now() - encodingSince;
    }
    this.times.render += performance.now() - startedAt - encodeMs;
    this.times.encode += encodeMs;
  }

  /** Notes what is written of a block besides its rows. */
  #note(block: VerifiedBlock): ScoredBlock {
    this.#end = endAfter(this.#end, block);
    this.#registrations.push(...registrationRows(block));
    this.#unknown.push(...unknownIn([block]));
    return { block, score: this.#end.score };
  }

  rows(): EncodedRows {
    const startedAt = performance.now();
    const lists = packLists(this.#lists.lists());
    this.times.render += performance.now() - startedAt;
    return {
      tables: this.#encoder.tables(),
      keys: this.#keys.keys,
      lists,
      registrations: this.#registrations,
      unknown: this.#unknown,
    };
  }
}
