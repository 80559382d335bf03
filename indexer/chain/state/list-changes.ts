import type { Db } from "../../../database/database.js";
import { bucketStart, type CollectionKey } from "../../../database/lists/collections.js";
import { CountChanges } from "../step/count-changes.js";

const LIST = { collection: "int2", key: "bytea" };

/** Added and removed entries of lists of state. */
export class ListChanges {
  readonly #counters = new CountChanges("counters", LIST);
  readonly #buckets = new CountChanges("list_buckets", { ...LIST, start: "bytea" });

  add({ collection, key }: CollectionKey, id: Buffer, change: 1 | -1): void {
    this.#counters.add([collection, key], change);
    this.#buckets.add([collection, key, bucketStart(id)], change);
  }

  async write(trx: Db): Promise<void> {
    await this.#counters.write(trx);
    await this.#buckets.write(trx);
  }
}
