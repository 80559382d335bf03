import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { aliasAddressOf } from "../../catapult/entity/address.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { verifyBlock } from "../../catapult/verify/verify.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { DevnetFixture, FEE_MULTIPLIER, signedAggregate, signedPayload } from "../support/devnet.js";
import { namespaceIdOf } from "../support/namespace-ids.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";

describe("transactions that a devnet accepts", () => {
  let fixture: DevnetFixture;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let carol: DevnetAccount;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
  });

  beforeEach(async () => {
    await fixture.devnet.harvest(1);
    [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => fixture.account(name)) as [
      DevnetAccount,
      DevnetAccount,
      DevnetAccount,
    ];
  });

  afterAll(() => fixture.stop());

  /** The last block, verified, with its statement. */
  async function lastBlock() {
    const { height } = await fixture.client.chainStatistics();
    const [bytes] = await fixture.client.blocks(height, { maxBlocks: 1, maxBytes: 1 });
    const { statement, subCacheMerkleRoots } = (await fixture.executed()).blocks.at(-1)!;
    return verifyBlock({
      bytes: bytes as Buffer,
      statementBytes: statement,
      subCacheMerkleRoots,
      network: fixture.devnet.network,
    });
  }

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

  test("a transfer of symbol-sdk is confirmed, and moves its amounts and the fee", async () => {
    const { devnet } = fixture;
    const payload = transferPayload(devnet, alice, bob.address, 1_000_000n);
    const block = await pushAndHarvest(payload);
    expect(block.transactions.map(({ bytes }) => bytes)).toEqual([payload]);
    expect(block.feeMultiplier).toBe(FEE_MULTIPLIER);
    const fee = BigInt(FEE_MULTIPLIER * payload.length);
    expect(devnet.balanceOf(alice.address)).toBe(alice.balance - 1_000_000n - fee);
    expect(devnet.balanceOf(bob.address)).toBe(bob.balance + 1_000_000n);
    const [{ receipts = [] } = {}] = block.statement.transactionStatements;
    const shares = receipts.map((receipt) => ("amount" in receipt ? receipt.amount : 0n));
    const total = devnet.rules.inflation + fee;
    const [network, beneficiary] = [(total * 5n) / 100n, (total * 10n) / 100n];
    expect(shares).toEqual([total - network - beneficiary, network, beneficiary, devnet.rules.inflation]);
  });

  test("an aggregate of symbol-sdk is confirmed with all its parts", async () => {
    const { devnet } = fixture;
    const aggregate = aggregatePayload(devnet, alice, bob, 7n);
    const block = await pushAndHarvest(aggregate);
    expect(block.transactions[0]?.embedded).toHaveLength(2);
    expect(devnet.balanceOf(bob.address)).toBe(bob.balance);
    expect(devnet.balanceOf(alice.address)).toBe(alice.balance - BigInt(FEE_MULTIPLIER * aggregate.length));
  });

  test("an aggregate of three signers is confirmed", async () => {
    const { devnet } = fixture;
    const embedded = [alice, bob, carol].map((signer) => ({
      signer,
      fields: { recipientAddress: bob.address, amount: 5n },
    }));
    await pushAndHarvest(signedAggregate(devnet, bob, { embedded, cosigners: [alice, carol] }));
    expect(devnet.balanceOf(carol.address)).toBe(carol.balance - 5n);
  });

  test("the multiplier of a block is the lowest that its transactions offer", async () => {
    const { devnet } = fixture;
    const multipliers = [200, 30, 5000];
    const payloads = multipliers.map((feeMultiplier) => signedPayload(devnet, alice, { feeMultiplier, amount: 1n }));
    const block = await pushAndHarvest(...payloads);
    expect(block.feeMultiplier).toBe(30);
    const size = payloads.reduce((total, { length }) => total + length, 0);
    expect(devnet.balanceOf(alice.address)).toBe(alice.balance - BigInt(30 * size));
  });

  test("names in place of the currency and of a recipient are resolved, and the statement records it", async () => {
    const { devnet } = fixture;
    const currencyName = namespaceIdOf("symbol.xym");
    const aliceName = aliasAddressOf(namespaceIdOf("devnet.alice"), 152);
    const mosaics = [{ mosaicId: currencyName, amount: 9n }];
    const first = signedPayload(devnet, bob, { recipientAddress: aliceName, mosaics });
    const second = signedAggregate(devnet, bob, {
      embedded: [{ signer: bob, fields: { recipientAddress: aliceName, mosaics } }],
    });
    const block = await pushAndHarvest(first, second);
    expect(devnet.balanceOf(alice.address)).toBe(alice.balance + 18n);
    const source = { primaryId: 1, secondaryId: 0 };
    expect(block.statement.addressResolutions).toMatchObject([
      { unresolved: aliceName, entries: [{ source, resolved: alice.address }] },
    ]);
    expect(block.statement.mosaicResolutions).toMatchObject([
      { unresolved: currencyName, entries: [{ source, resolved: devnet.currencyMosaicId }] },
    ]);
  });

  test("a transaction can spend what an unconfirmed one before it transfers", async () => {
    const { devnet } = fixture;
    const payloads = [
      signedPayload(devnet, bob, { recipientAddress: carol.address, amount: bob.balance - 1_000_000n }),
      signedPayload(devnet, carol, { recipientAddress: bob.address, amount: carol.balance + bob.balance - 2_000_000n }),
    ];
    await pushAndHarvest(...payloads);
    expect(devnet.balanceOf(bob.address)).toBeGreaterThan(bob.balance);
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

  test("a push of several transactions in one packet is processed as a batch", async () => {
    const { devnet } = fixture;
    const connection = await fixture.connect();
    const payloads = [1n, 2n, 3n].map((amount) =>
      signedPayload(devnet, carol, { recipientAddress: bob.address, amount }),
    );
    await connection.push(PacketType.pushTransactions, Buffer.concat(payloads));
    await until(() => devnet.unconfirmedCount === 3, "the node has them all");
    await connection.close();
    await devnet.harvest(1);
    expect((await lastBlock()).transactions).toHaveLength(3);
    const { transactionStatements } = decodeStatement((await fixture.executed()).blocks.at(-1)!.statement);
    expect(transactionStatements.map(({ source }) => source)).toEqual([{ primaryId: 0, secondaryId: 0 }]);
  });
});
