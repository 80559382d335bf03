import { sql } from "kysely";
import type { AccountState } from "../../../catapult/state/account.js";
import { balanceBucket } from "../../../database/balances/account-balances.js";
import type { Db } from "../../../database/database.js";
import { Collection, type CollectionKey, idKey } from "../../../database/lists/collections.js";
import { CountChanges } from "../step/count-changes.js";
import type { ListChanges } from "./list-changes.js";

interface Balance {
  readonly id: Buffer;
  readonly mosaic_id: Buffer;
  readonly amount: bigint;
}

/**
 * Updates the balances of accounts: only changed ones are written.
 * @param accounts by the ids of their rows; undefined for a deleted one
 */
export async function writeBalances(
  trx: Db,
  accounts: ReadonlyMap<Buffer, AccountState | undefined>,
  counts: ListChanges,
): Promise<void> {
  if (accounts.size === 0) return;
  const rows = await trx
    .selectFrom("account_balances")
    .selectAll()
    .where("id", "in", [...accounts.keys()])
    .execute();
  const before = new Map(rows.map((row) => [nameOf(row), { ...row, amount: BigInt(row.amount) }]));
  const changed: Balance[] = [];
  const histogram = new CountChanges("balance_histogram", { mosaic_id: "bytea", bucket: "numeric" });
  for (const [id, account] of accounts) {
    for (const mosaic of account?.mosaics ?? []) {
      const balance = { id, mosaic_id: idKey(mosaic.id), amount: mosaic.amount };
      const old = before.get(nameOf(balance));
      before.delete(nameOf(balance));
      if (old?.amount === balance.amount) continue;
      changed.push(balance);
      histogram.add(bucketOf(balance), 1);
      if (old) histogram.add(bucketOf(old), -1);
      else counts.add(listOf(balance), id, 1);
    }
  }
  const gone = [...before.values()];
  for (const balance of gone) {
    counts.add(listOf(balance), balance.id, -1);
    histogram.add(bucketOf(balance), -1);
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

function bucketOf({ mosaic_id, amount }: Balance): readonly [mosaicId: Buffer, bucket: bigint] {
  return [mosaic_id, balanceBucket(amount)];
}

function nameOf({ id, mosaic_id }: { readonly id: Buffer; readonly mosaic_id: Buffer }): string {
  return `${id.toString("hex")} ${mosaic_id.toString("hex")}`;
}
