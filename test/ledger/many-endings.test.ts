import { expect, test } from "@jest/globals";
import { type HashLockState, LOCK_STATUS } from "../../catapult/state/lock.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { StatementBuilder } from "../../ledger/rules/receipts.js";
import { Locks } from "../../ledger/tables/locks.js";
import { HeightGroups, Journal } from "../../ledger/trees/journal.js";

/** Locks that one block can end: anyone can create them over days, with fees alone. With the square of it, hours. */
const MANY = 400_000;
/** Uses of one secret; 6,000 transactions fit into a block. Each one may take no longer because of the others. */
const MANY_USES = 40_000;

test("a block can have hundreds of thousands of receipts, in the order of their types", () => {
  const statement = new StatementBuilder();
  const target = Buffer.alloc(24);
  for (let lock = 0; lock < MANY; ++lock) {
    statement.addBalanceChange(RECEIPT_TYPE.secret_lock_expired, 1n, BigInt(lock), target);
  }
  statement.addBalanceChange(RECEIPT_TYPE.harvest_fee, 1n, 7n, target);
  const { bytes } = statement.build();
  const typeAt = (index: number) => bytes.readUInt16LE(16 + 48 * index + 6);
  expect([typeAt(0), typeAt(1), typeAt(MANY)]).toEqual([
    RECEIPT_TYPE.harvest_fee,
    RECEIPT_TYPE.secret_lock_expired,
    RECEIPT_TYPE.secret_lock_expired,
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

test("one secret can be locked and used tens of thousands of times, and is as before after a roll-back", () => {
  const journal = new Journal();
  const locks = new Locks<HashLockState>(journal, "hashLock");
  const id = Buffer.alloc(32, 1);
  const funds = { ownerAddress: Buffer.alloc(24), mosaicId: 1n };
  const use = (amount: number, hash: Buffer = id) => {
    locks.add({ ...funds, amount: BigInt(amount), endHeight: 10 + amount, status: LOCK_STATUS.unused, hash });
    locks.markUsed(locks.get(hash)!);
  };
  const amounts = () => {
    const { older, newest } = locks.table.get(id.toString("latin1"))!;
    return [...older, ...(newest ? [newest] : [])].map(({ amount }) => Number(amount));
  };
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  /** In microseconds of a processor. */
  const timeOf = (idOf: (amount: number) => Buffer) => {
    const before = process.cpuUsage();
    for (let amount = 0; amount < MANY_USES; ++amount) use(amount, idOf(amount));
    return process.cpuUsage(before).user;
  };
  const ofOthers = timeOf((amount) => Buffer.from(String(amount).padStart(32)));
  expect(timeOf(() => id)).toBeLessThan(5 * ofOthers);
  expect(locks.get(id)).toMatchObject({ amount: BigInt(MANY_USES - 1), status: LOCK_STATUS.used });

  const checkpoint = journal.checkpoint();
  use(MANY_USES);
  expect(amounts()).toEqual(range(0, MANY_USES + 1));
  journal.revertTo(checkpoint);
  expect(amounts()).toEqual(range(0, MANY_USES));
  use(-1);
  expect(amounts()).toEqual([...range(0, MANY_USES), -1]);
  journal.revertTo(checkpoint);

  for (let height = 10; height < 10 + MANY_USES - 5; ++height) locks.prune(height);
  expect(amounts()).toEqual(range(MANY_USES - 5, MANY_USES));
  use(MANY_USES);
  expect(amounts()).toEqual(range(MANY_USES - 5, MANY_USES + 1));
  for (let height = 10 + MANY_USES - 5; height <= 10 + MANY_USES; ++height) locks.prune(height);
  expect(locks.get(id)).toBeUndefined();
});
