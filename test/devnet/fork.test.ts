import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { transactionHash } from "../../catapult/entity/hashes.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { BlockExecutionError } from "../../ledger/engine/executed-block.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";

const hexOf = (bytes: Buffer) => bytes.toString("hex");

describe("forks of a devnet", () => {
  let fixture: DevnetFixture;
  let alice: DevnetAccount;
  let bob: DevnetAccount;

  beforeEach(async () => {
    fixture = await DevnetFixture.start();
    [alice, bob] = [fixture.account("alice"), fixture.account("bob")];
  });

  afterEach(() => fixture.stop());

  const verifiedHashes = async () => (await fixture.verified()).map(({ hash }) => hash);

  function pay(amount: bigint): Buffer {
    return signedPayload(fixture.devnet, alice, { recipientAddress: bob.address, amount });
  }

  test.each([
    [1, 2],
    [5, 2],
    [50, 51],
  ])("%i blocks are replaced by %i others", async (depth, count) => {
    const { devnet } = fixture;
    await devnet.harvest(52);
    const before = await verifiedHashes();
    const from = devnet.height - depth;
    const entries = devnet.fork({ from, blocks: count });
    const after = await verifiedHashes();
    expect(after).toHaveLength(from + count);
    expect(after.slice(0, from)).toEqual(before.slice(0, from));
    expect(after.slice(from)).toEqual(entries.map(({ hash }) => hash));
    for (const [index, hash] of after.slice(from).entries()) expect(hash).not.toEqual(before[from + index]);
    await devnet.harvest(2);
    await verifiedHashes();
  });

  test("branches can follow each other, and each one is new", async () => {
    const { devnet } = fixture;
    const hashes: string[] = [];
    const branches = [
      [1, 3],
      [2, 3],
      [3, 1],
      [4, 6],
      [2, 19],
    ] as const;
    for (const [from, blocks] of branches) hashes.push(...devnet.fork({ from, blocks }).map(({ hash }) => hexOf(hash)));
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(devnet.height).toBe(21);
    expect(hexOf((await verifiedHashes()).at(-1)!)).toBe(hashes.at(-1));
    expect(hexOf(devnet.block(2).hash)).toBe(hashes[0]);
  });

  test("no client sees a state between two branches", async () => {
    const { devnet, client } = fixture;
    await devnet.harvest(20);
    const answers = Promise.all(Array.from({ length: 100 }, () => client.chainStatistics()));
    await client.chainStatistics();
    const before = { height: devnet.height, score: devnet.block(devnet.height).score };
    devnet.fork({ from: 11, blocks: 9 });
    const after = { height: devnet.height, score: devnet.block(devnet.height).score };
    for (const { height, scoreLow } of await answers)
      expect([before, after]).toContainEqual({ height, score: scoreLow });
  });

  test("a transaction can be in both branches, at different heights", async () => {
    const { devnet, client } = fixture;
    const payment = pay(10n);
    const hash = transactionHash(payment, devnet.network);
    devnet.fork({ from: 1, blocks: 3, transactions: [[], [payment]] });
    devnet.fork({ from: 2, blocks: 3, transactions: [[], [], [payment]] });
    expect(await client.unconfirmedTransactions()).toEqual([]);
    expect(devnet.isUnconfirmed(hash)).toBe(false);
    expect(devnet.balanceOf(bob.address)).toBe(bob.balance + 10n);
    devnet.fork({ from: 2, blocks: 2, keepTransactions: true });
    expect(devnet.balanceOf(bob.address)).toBe(bob.balance + 10n);
    expect(await client.unconfirmedTransactions()).toEqual([]);
    await verifiedHashes();
  });

  test("events report the drop, the new blocks, and the outcome of transactions, in this order", async () => {
    const { devnet } = fixture;
    const [kept, lost] = [pay(1n), pay(2n)];
    devnet.fork({ from: 1, blocks: 3, transactions: [[], [kept], [lost]] });
    const told: unknown[] = [];
    devnet.events.on("dropBlocks", (height) => told.push(["drop", height]));
    devnet.events.on("block", ({ hash }) => told.push(["block", hash]));
    devnet.events.on("unconfirmedAdded", ({ bytes }) => told.push(["added", bytes]));
    devnet.events.on("unconfirmedRemoved", ({ bytes }) => told.push(["removed", bytes]));
    const entries = devnet.fork({ from: 2, blocks: 2, transactions: [[], [kept]] });
    await devnet.harvest(1);
    expect(told).toEqual([
      ["drop", 2],
      ...entries.map(({ hash }) => ["block", hash]),
      ["added", lost],
      ["block", devnet.block(5).hash],
      ["removed", lost],
    ]);
  });

  test("an impossible branch changes nothing", async () => {
    const { devnet } = fixture;
    const [payment, tooMuch] = [pay(10n), pay(alice.balance * 2n)];
    devnet.fork({ from: 1, blocks: 3, transactions: [[payment]] });
    const before = await verifiedHashes();
    const balance = devnet.balanceOf(bob.address);
    expect(() => devnet.fork({ from: 1, blocks: 3, transactions: [[], [tooMuch]] })).toThrow(BlockExecutionError);
    expect(() => devnet.fork({ from: 1, blocks: 2, transactions: [[payment], [payment]] })).toThrow(
      "Failure_Hash_Already_Exists",
    );
    expect(() => devnet.fork({ from: 5, blocks: 1 })).toThrow("not at 5");
    expect(() => devnet.fork({ from: 0, blocks: 1 })).toThrow("not at 0");
    expect(() => devnet.fork({ from: 1.5, blocks: 1 })).toThrow(RangeError);
    expect(() => devnet.fork({ from: 1, blocks: 0 })).toThrow("needs blocks");
    expect(await verifiedHashes()).toEqual(before);
    expect(devnet.balanceOf(bob.address)).toBe(balance);
    await devnet.harvest(1);
    await verifiedHashes();
  });

  test("final blocks are not dropped", async () => {
    const { devnet } = fixture;
    await devnet.harvest(10);
    devnet.finalize(6);
    expect(() => devnet.fork({ from: 5, blocks: 10 })).toThrow("heights 6 to 11");
    devnet.fork({ from: 6, blocks: 6 });
    expect(devnet.height).toBe(12);
    await verifiedHashes();
  });
});
