import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { StatusCode } from "../../catapult/announcement/status-code.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { until } from "../support/until.js";

describe("transactions that a devnet rejects", () => {
  let fixture: DevnetFixture;
  let alice: DevnetAccount;
  let bob: DevnetAccount;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
    await fixture.devnet.harvest(1);
    [alice, bob] = [fixture.account("alice"), fixture.account("bob")];
  });

  afterEach(async () => {
    expect(fixture.devnet.unconfirmedCount).toBe(0);
    const { height } = fixture.devnet;
    await fixture.devnet.harvest(1);
    expect(fixture.devnet.height).toBe(height + 1);
    expect(fixture.devnet.balanceOf(alice.address)).toBe(alice.balance);
  });

  afterAll(() => fixture.stop());

  test("a rejection is published with its code, deadline and addresses, and given again", async () => {
    const { devnet } = fixture;
    const payload = signedPayload(devnet, alice, { recipientAddress: bob.address, amount: alice.balance + 1n });
    const hash = transactionHash(payload, devnet.network);
    const reported = new Promise((resolve) => devnet.events.once("status", resolve));
    await fixture.client.pushTransactions([payload]);
    await until(() => devnet.rejections.length > 0, "the transaction is rejected");
    const [rejection] = devnet.rejections;
    const name = "Failure_Core_Insufficient_Balance";
    const deadline = payload.readBigUInt64LE(120);
    expect(rejection).toMatchObject({ hash, name, code: StatusCode[name], deadline });
    expect(rejection?.relatedAddresses).toContainEqual(alice.address);
    expect(await reported).toEqual(rejection);
    expect(devnet.announce(payload)).toEqual({ hash, isUnconfirmed: false, rejection: name });
  });

  test("one invalid transaction takes its batch with it, state failures do not", async () => {
    const { devnet } = fixture;
    const good = signedPayload(devnet, alice, { feeMultiplier: 10 });
    const badlySigned = changed(signedPayload(devnet, bob), 10, 0x55);
    const unpayable = signedPayload(devnet, bob, { recipientAddress: alice.address, amount: bob.balance });
    const connection = await fixture.connect();
    const before = devnet.rejections.length;

    await connection.push(PacketType.pushTransactions, Buffer.concat([good, badlySigned]));
    await until(() => devnet.rejections.length > before, "the first batch is rejected");
    expect(devnet.rejections.slice(before).map(({ name }) => name)).toEqual([
      "Failure_Consumer_Batch_Signature_Not_Verifiable",
    ]);
    expect(devnet.unconfirmedCount).toBe(0);

    const free = signedPayload(devnet, bob, { message: Buffer.from("\0free") });
    await connection.push(PacketType.pushTransactions, Buffer.concat([unpayable, free]));
    await until(() => devnet.unconfirmedCount === 1, "half of the second batch is accepted");
    await connection.close();
    await devnet.harvest(1);
  });

  test("pushes can be collected as at a real node", async () => {
    const gathering = await DevnetFixture.start({ gatherMs: 30 });
    try {
      const { devnet, client } = gathering;
      const good = signedPayload(devnet, gathering.account("alice"));
      const bad = changed(signedPayload(devnet, gathering.account("bob")), 10, 0x55);
      await client.pushTransactions([good, bad]);
      await until(() => devnet.rejections.length === 1, "the batch is rejected");
      expect(devnet.unconfirmedCount).toBe(0);
      const later = signedPayload(devnet, gathering.account("alice"), { deadlineSeconds: 60 });
      await client.pushTransactions([good, later]);
      await until(() => devnet.unconfirmedCount > 0, "a valid one is accepted");
      // a node does not check again what it has seen
      expect(await client.unconfirmedTransactions()).toEqual([later]);
    } finally {
      await gathering.stop();
    }
  });

  test("a full pool accepts no more", async () => {
    const small = await DevnetFixture.start({ rules: { unconfirmedTransactionsCacheMaxSize: 400 } });
    try {
      const { devnet } = small;
      const results = [1n, 2n, 3n].map((amount) =>
        devnet.announce(
          signedPayload(devnet, small.account("alice"), { recipientAddress: small.account("bob").address, amount }),
        ),
      );
      expect(results.map(({ rejection }) => rejection)).toEqual([
        undefined,
        undefined,
        "Failure_Chain_Unconfirmed_Cache_Too_Full",
      ]);
    } finally {
      await small.stop();
    }
  });

  test("an unconfirmed transaction is rejected once its deadline has passed", async () => {
    let ahead = 0;
    const fast = await DevnetFixture.start({ clock: () => Date.now() + ahead, rules: { maxTransactionsPerBlock: 0 } });
    try {
      const { devnet } = fast;
      const removed: Buffer[] = [];
      devnet.events.on("unconfirmedRemoved", ({ hash }) => removed.push(hash));
      const { hash } = devnet.announce(signedPayload(devnet, fast.account("alice"), { deadlineSeconds: 60 }));
      await devnet.harvest(1);
      expect(devnet.isUnconfirmed(hash)).toBe(true);
      ahead = 61_000;
      await devnet.harvest(1);
      expect(devnet.isUnconfirmed(hash)).toBe(false);
      expect(devnet.rejections).toMatchObject([{ hash, name: "Failure_Core_Past_Deadline" }]);
      expect(removed).toEqual([hash]);
    } finally {
      await fast.stop();
    }
  });

  test("bytes that are no transaction are dropped silently", async () => {
    const { devnet } = fixture;
    const payload = signedPayload(devnet, alice);
    const before = devnet.rejections.length;
    const connection = await fixture.connect();
    for (const bytes of [
      payload.subarray(0, payload.length - 1),
      Buffer.concat([payload, Buffer.alloc(3)]),
      changed(payload, 110, 0x99),
      Buffer.alloc(500),
    ])
      await connection.push(PacketType.pushTransactions, bytes);
    expect(await connection.request(PacketType.pullTransactions, Buffer.alloc(12))).toHaveLength(0);
    expect(devnet.rejections).toHaveLength(before);
    await connection.close();
  });
});

/** The same bytes except one. */
function changed(payload: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(payload);
  copy[offset] = value;
  return copy;
}
