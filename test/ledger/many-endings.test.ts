import { expect, test } from "@jest/globals";
import { RECEIPT_TYPE } from "../../catapult/entity/receipt.js";
import { HeightGroups, Journal } from "../../ledger/state/journal.js";
import { StatementBuilder } from "../../ledger/state/receipts.js";

/** Locks that one block can end: anyone can create them over days, with fees alone. With the square of it, hours. */
const MANY = 400_000;

test("a block can have hundreds of thousands of receipts, in the order of their types", () => {
  const statement = new StatementBuilder();
  const target = Buffer.alloc(24);
  for (let lock = 0; lock < MANY; ++lock) {
    statement.addBalanceChange(RECEIPT_TYPE.secretLockExpired, 1n, BigInt(lock), target);
  }
  statement.addBalanceChange(RECEIPT_TYPE.harvestFee, 1n, 7n, target);
  const { bytes } = statement.build();
  const typeAt = (index: number) => bytes.readUInt16LE(16 + 48 * index + 6);
  expect([typeAt(0), typeAt(1), typeAt(MANY)]).toEqual([
    RECEIPT_TYPE.harvestFee,
    RECEIPT_TYPE.secretLockExpired,
    RECEIPT_TYPE.secretLockExpired,
  ]);
  // Those of one type in the order in which they were added.
  expect([1, 2, MANY].map((index) => bytes.readBigUInt64LE(16 + 48 * index + 16))).toEqual([0n, 1n, BigInt(MANY - 1)]);
});

test("hundreds of thousands of keys can be due at one height, and are as before after a roll-back", () => {
  const journal = new Journal();
  const groups = new HeightGroups<number>(journal);
  groups.load(7n, -1);
  const checkpoint = journal.checkpoint();
  for (let key = 0; key < MANY; ++key) groups.add(7n, key);
  groups.add(7n, 0);
  expect(groups.at(7n)).toHaveLength(MANY + 1);
  groups.remove(7n, -1);
  groups.clear(7n);
  expect(groups.at(7n)).toEqual([]);
  journal.revertTo(checkpoint);
  expect(groups.at(7n)).toEqual([-1]);
});

test("keys above those of others show both, and leave the others as they are", () => {
  const below = new HeightGroups<string>(new Journal());
  for (const key of ["a", "b"]) below.add(1n, key);
  const journal = new Journal();
  const above = new HeightGroups<string>(journal, below);
  const checkpoint = journal.checkpoint();
  above.remove(1n, "a");
  above.add(1n, "c");
  above.add(1n, "b");
  expect([...above.at(1n)].sort()).toEqual(["b", "c"]);
  above.add(1n, "a");
  expect([...above.at(1n)].sort()).toEqual(["a", "b", "c"]);
  expect([...below.at(1n)].sort()).toEqual(["a", "b"]);
  journal.revertTo(checkpoint);
  expect([...above.at(1n)].sort()).toEqual(["a", "b"]);
});
