import { sql } from "kysely";
import type { CollectionKey } from "../../schema/db/collections.js";
import type { Db } from "../../schema/db/database.js";

interface ListChange {
  readonly list: CollectionKey;
  change: number;
}

/** Entries that lists of state won and lost. */
export class CountChanges {
  readonly #changes = new Map<string, ListChange>();

  add(list: CollectionKey, change: 1 | -1): void {
    const name = nameOf(list);
    const known = this.#changes.get(name);
    if (known) known.change += change;
    else this.#changes.set(name, { list, change });
  }

  /**
   * Applies what was added up to the counters.
   * @throws RangeError when a list would have less than no entries
   */
  async write(trx: Db): Promise<void> {
    const changes = [...this.#changes.values()].filter(({ change }) => change !== 0);
    if (changes.length === 0) return;
    const before = await readCounts(trx, changes);
    const after = changes.map(({ list, change }) => ({ ...list, count: (before.get(nameOf(list)) ?? 0) + change }));
    const wrong = after.find(({ count }) => count < 0);
    if (wrong)
      throw new RangeError(
        `list ${wrong.collection} of ${wrong.key.toString("hex")} would have ${wrong.count} entries`,
      );
    const kept = after.filter(({ count }) => count > 0);
    const emptied = after.filter(({ count }) => count === 0);
    if (kept.length > 0) {
      await sql`
        insert into counters (collection, key, count)
        select * from unnest(
          ${kept.map((c) => c.collection)}::int2[], ${kept.map((c) => c.key)}::bytea[], ${kept.map((c) => c.count)}::int8[])
        on conflict (collection, key) do update set count = excluded.count`.execute(trx);
    }
    if (emptied.length > 0) {
      await sql`
        delete from counters c using unnest(
          ${emptied.map((c) => c.collection)}::int2[], ${emptied.map((c) => c.key)}::bytea[]) e (collection, key)
        where c.collection = e.collection and c.key = e.key`.execute(trx);
    }
  }
}

async function readCounts(trx: Db, changes: readonly ListChange[]): Promise<Map<string, number>> {
  const { rows } = await sql<CollectionKey & { count: number }>`
    select c.collection, c.key, c.count from unnest(
      ${changes.map(({ list }) => list.collection)}::int2[], ${changes.map(({ list }) => list.key)}::bytea[]) asked (collection, key)
    join counters c on c.collection = asked.collection and c.key = asked.key`.execute(trx);
  return new Map(rows.map((row) => [nameOf(row), row.count]));
}

function nameOf({ collection, key }: CollectionKey): string {
  return `${collection} ${key.toString("latin1")}`;
}
