import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { aggregatePayload } from "../support/transfers.js";
import { until } from "../support/until.js";

describe("transactions that a devnet accepts", () => {
  let fixture: DevnetFixture;
  let alice: DevnetAccount;
  let bob: DevnetAccount;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
  });

  beforeEach(async () => {
    await fixture.devnet.harvest(1);
    [alice, bob] = [fixture.account("alice"), fixture.account("bob")];
  });

  afterAll(() => fixture.stop());

  const lastBlock = async () => (await fixture.verified()).at(-1)!;

  async function pushAndHarvest(...payloads: Buffer[]) {
    const hashes = payloads.map((payload) => transactionHash(payload, fixture.devnet.network));
    await fixture.client.pushTransactions(payloads);
    await until(() => fixture.devnet.rejections.length > 0 || hashes.every(isUnconfirmed), "the node has them all");
    expect(fixture.devnet.rejections).toEqual([]);
    await fixture.devnet.harvest(1);
    return lastBlock();
  }

  function isUnconfirmed(hash: Buffer): boolean {
    return fixture.devnet.isUnconfirmed(hash);
  }

  test("the multiplier of a block is the lowest that its transactions offer", async () => {
    const { devnet } = fixture;
    const multipliers = [200, 30, 5000];
    const payloads = multipliers.map((feeMultiplier) => signedPayload(devnet, alice, { feeMultiplier, amount: 1n }));
    const block = await pushAndHarvest(...payloads);
    expect(block.feeMultiplier).toBe(30);
    const size = payloads.reduce((total, { length }) => total + length, 0);
    expect(devnet.balanceOf(alice.address)).toBe(alice.balance - BigInt(30 * size));
  });

  test("unconfirmed transactions are returned by the filter of the request", async () => {
    const { devnet, client } = fixture;
    const cheap = signedPayload(devnet, alice, { feeMultiplier: 20, message: Buffer.from("\0cheap") });
    const late = signedPayload(devnet, bob, { feeMultiplier: 200, deadlineSeconds: 10_000 });
    for (const payload of [cheap, late]) expect(devnet.announce(payload)).toMatchObject({ isUnconfirmed: true });
    expect(await client.unconfirmedTransactions()).toEqual([cheap, late]);
    expect(await client.unconfirmedTransactions({ minFeeMultiplier: 100 })).toEqual([late]);
    const minDeadline = Date.now() - devnet.rules.epochAdjustment * 1000 + 9_000_000;
    expect(await client.unconfirmedTransactions({ minDeadline })).toEqual([late]);
    const knownShortHashes = [transactionHash(late, devnet.network).subarray(0, 4)];
    expect(await client.unconfirmedTransactions({ knownShortHashes })).toEqual([cheap]);
    expect(await client.partialTransactions()).toEqual([]);
    await devnet.harvest(1);
    expect(await client.unconfirmedTransactions()).toEqual([]);
  });

  test("a transaction is accepted once, unconfirmed or confirmed", async () => {
    const { devnet } = fixture;
    const payload = signedPayload(devnet, alice, { message: Buffer.from("\0once") });
    expect(devnet.announce(payload)).toMatchObject({ isUnconfirmed: true });
    expect(devnet.announce(payload)).toMatchObject({ isUnconfirmed: true });
    await devnet.harvest(1);
    expect((await lastBlock()).transactions).toHaveLength(1);
    expect(devnet.announce(payload)).toEqual({ hash: transactionHash(payload, devnet.network), isUnconfirmed: false });
    await devnet.harvest(1);
    expect((await lastBlock()).transactions).toHaveLength(0);
    expect(devnet.rejections).toEqual([]);
  });

  test("too low a fee is ignored silently", async () => {
    const { devnet } = fixture;
    const payload = signedPayload(devnet, alice, { feeMultiplier: 9 });
    expect(devnet.announce(payload)).toEqual({ hash: expect.anything(), isUnconfirmed: false });
    expect(devnet.rejections).toEqual([]);
  });

  test("a block contains no more transactions than the network allows, embedded ones included", async () => {
    const small = await DevnetFixture.start({ rules: { maxTransactionsPerBlock: 4 } });
    try {
      const { devnet } = small;
      const [first, second] = devnet.accounts as [DevnetAccount, DevnetAccount];
      for (let amount = 1n; amount <= 3n; amount += 1n)
        devnet.announce(aggregatePayload(devnet, first, second, amount));
      devnet.announce(signedPayload(devnet, second, { message: Buffer.from("\0last") }));
      const counts: number[] = [];
      for (let height = 2; height <= 5; height += 1) {
        await devnet.harvest(1);
        const [bytes] = await small.client.blocks(height, { maxBlocks: 1, maxBytes: 1 });
        counts.push(decodeBlock(bytes as Buffer, devnet.network).transactions.length);
      }
      expect(counts).toEqual([1, 1, 2, 0]);
    } finally {
      await small.stop();
    }
  });
});
