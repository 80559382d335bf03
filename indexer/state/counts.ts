import type { Db } from "../../database/database.js";
import { type CollectionKey, spanStart } from "../../database/lists/collections.js";
import { type CountChange, type CountTable, changeCounts } from "./count-table.js";

const COUNTERS: CountTable = {
  table: "counters",
  keyColumns: [
    ["collection", "int2"],
    ["key", "bytea"],
  ],
};
const SPANS: CountTable = { table: "spans", keyColumns: [...COUNTERS.keyColumns, ["start", "bytea"]] };

/** Added and removed entries of lists of state. */
export class CountChanges {
  readonly #lists = new Map<string, CountChange>();
  readonly #spans = new Map<string, CountChange>();

  /** @param id of the entry */
  add({ collection, key }: CollectionKey, id: Buffer, change: 1 | -1): void {
    const name = `${collection} ${key.toString("latin1")}`;
    const start = spanStart(id);
    addTo(this.#lists, name, [collection, key], change);
    addTo(this.#spans, `${name} ${start.toString("latin1")}`, [collection, key, start], change);
  }

  /**
   * Writes the sums to the counters and spans.
   * @throws RangeError when a list would have less than no entries
   */
  async write(trx: Db): Promise<void> {
    await changeCounts(trx, COUNTERS, [...this.#lists.values()]);
    await changeCounts(trx, SPANS, [...this.#spans.values()]);
  }
}

function addTo(changes: Map<string, CountChange>, name: string, key: CountChange["key"], change: number): void {
  changes.set(name, { key, change: (changes.get(name)?.change ?? 0) + change });
}
