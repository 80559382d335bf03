import { expect } from "@jest/globals";
import {
  type AccountMovement,
  balancesAfter,
  readAccountMovements,
} from "../../database/balances/account-movements.js";
import { balancesAt } from "../../database/balances/balance-changes.js";
import type { Db } from "../../database/database.js";

const ALL = 1_000_000;

/** All movements of each account, by address. */
export async function readBooks(db: Db): Promise<ReadonlyMap<Buffer, readonly AccountMovement[]>> {
  const accounts = await db.selectFrom("accounts").select("address").execute();
  const books = new Map<Buffer, readonly AccountMovement[]>();
  for (const { address } of accounts) {
    books.set(address, await readAccountMovements(db, { address }, { first: ALL, order: "asc" }));
  }
  return books;
}

/**
 * Compares the balance after the last movement of each block with that of its height, and the sums with the balances now.
 * @returns the number of compared balances of the past
 */
export async function expectBooksToAddUp(
  db: Db,
  books: ReadonlyMap<Buffer, readonly AccountMovement[]>,
): Promise<number> {
  let compared = 0;
  for (const [address, movements] of books) {
    const balances = await balancesAfter(db, address, movements);
    const ends = new Map(
      movements.map(({ height, mosaicId }, place) => [
        `${height} ${mosaicId}`,
        { address, mosaicId, height, balance: balances[place] },
      ]),
    );
    expect([...ends.values()].map(({ balance }) => balance)).toEqual(await balancesAt(db, [...ends.values()]));
    const sums = new Map<bigint, bigint>();
    for (const { mosaicId, change } of movements) sums.set(mosaicId, (sums.get(mosaicId) ?? 0n) + change);
    const held = await db
      .selectFrom("account_balances as b")
      .innerJoin("accounts as a", "a.id", "b.id")
      .select(["b.mosaic_id", "b.amount"])
      .where("a.address", "=", address)
      .execute();
    expect(new Map([...sums].filter(([, sum]) => sum !== 0n))).toEqual(
      new Map(held.map(({ mosaic_id, amount }) => [mosaic_id.readBigUInt64BE(), BigInt(amount)])),
    );
    compared += ends.size;
  }
  return compared;
}
