import { sql } from "kysely";
import type { AccountState } from "../../../catapult/state/account.js";
import { balanceBucket } from "../../../database/balances/account-balances.js";
import type { Db } from "../../../database/database.js";
import { Collection, type CollectionKey, idKey } from "../../../database/lists/collections.js";
import { type CountChange, type CountChanges, type CountTable, changeCounts } from "./count-table.js";

interface Balance {
  readonly id: Buffer;
  readonly mosaic_id: Buffer;
  readonly amount: bigint;
}

/** Accounts by the ids of their rows; undefined for a deleted one. */
export type AccountsById = ReadonlyMap<Buffer, AccountState | undefined>;

/** Updates the balances of accounts: only changed ones are written. */
export async function writeBalances(trx: Db, accounts: AccountsById, counts: CountChanges): Promise<void> {
  if (accounts.size === 0) return;
  const rows = await trx
    .selectFrom("account_balances")
    .selectAll()
    .where("id", "in", [...accounts.keys()])
    .execute();
  const before = new Map(rows.map((row) => [nameOf(row), { ...row, amount: BigInt(row.amount) }]));
  const changed: Balance[] = [];
  const histogram = new HistogramChanges();
  for (const [id, account] of accounts) {
    for (const mosaic of account?.mosaics ?? []) {
      const balance = { id, mosaic_id: idKey(mosaic.id), amount: mosaic.amount };
      const old = before.get(nameOf(balance));
      before.delete(nameOf(balance));
      if (old?.amount === balance.amount) continue;
      changed.push(balance);
      histogram.add(balance.mosaic_id, old?.amount, balance.amount);
      if (!old) counts.add(listOf(balance), id, 1);
    }
  }
  const gone = [...before.values()];
  for (const balance of gone) {
    counts.add(listOf(balance), balance.id, -1);
    histogram.add(balance.mosaic_id, balance.amount, undefined);
  }
  if (gone.length > 0) {
    await sql`
      delete from account_balances b
      using unnest(${gone.map((b) => b.id)}::bytea[], ${gone.map((b) => b.mosaic_id)}::bytea[]) g (id, mosaic_id)
      where b.id = g.id and b.mosaic_id = g.mosaic_id`.execute(trx);
  }
  if (changed.length > 0) {
    await sql`
      insert into account_balances (id, mosaic_id, amount)
      select * from unnest(
        ${changed.map((b) => b.id)}::bytea[], ${changed.map((b) => b.mosaic_id)}::bytea[], ${changed.map((b) => b.amount)}::numeric[])
      on conflict (id, mosaic_id) do update set amount = excluded.amount`.execute(trx);
  }
  await histogram.write(trx);
}

function listOf({ mosaic_id: key }: Pick<Balance, "mosaic_id">): CollectionKey {
  return { collection: Collection.accountsByMosaic, key };
}

function nameOf({ id, mosaic_id }: { readonly id: Buffer; readonly mosaic_id: Buffer }): string {
  return `${id.toString("hex")} ${mosaic_id.toString("hex")}`;
}

const HISTOGRAM: CountTable = {
  table: "balance_histogram",
  keyColumns: [
    ["mosaic_id", "bytea"],
    ["bucket", "numeric"],
  ],
};

/** Changes of the number of accounts per balance bucket of a mosaic. */
export class HistogramChanges {
  readonly #changes = new Map<string, CountChange>();

  /** An account's balance changed from `before` to `after` (atomic units); undefined means none. */
  add(mosaicId: Buffer, before: bigint | undefined, after: bigint | undefined): void {
    if (before !== undefined) this.#add(mosaicId, balanceBucket(before), -1);
    if (after !== undefined) this.#add(mosaicId, balanceBucket(after), 1);
  }

  /**
   * Writes the sums.
   * @throws RangeError when a bucket would have less than no accounts
   */
  async write(trx: Db): Promise<void> {
    await changeCounts(trx, HISTOGRAM, [...this.#changes.values()]);
  }

  #add(mosaicId: Buffer, bucket: bigint, change: number): void {
    const name = `${mosaicId.toString("hex")} ${bucket}`;
    this.#changes.set(name, { key: [mosaicId, bucket], change: (this.#changes.get(name)?.change ?? 0) + change });
  }
}
