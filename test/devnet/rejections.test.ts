import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { StatusCode } from "../../catapult/announcement/status-code.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { until } from "../support/until.js";

import { changed, REJECTION_WAYS, type RejectionScene, rejectionScene } from "./rejection-cases.js";

describe("transactions that a devnet rejects", () => {
  let fixture: DevnetFixture;
  let scene: RejectionScene;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
    await fixture.devnet.harvest(1);
    scene = rejectionScene(fixture.devnet);
  });

  afterEach(async () => {
    expect(scene.devnet.unconfirmedCount).toBe(0);
    const { height } = scene.devnet;
    await scene.devnet.harvest(1);
    expect(scene.devnet.height).toBe(height + 1);
    expect(scene.devnet.balanceOf(scene.alice.address)).toBe(scene.alice.balance);
  });

  afterAll(() => fixture.stop());

  test.each(REJECTION_WAYS)("%s: %s", async (_, name, make) => {
    const { devnet } = scene;
    const payload = make(scene);
    const hash = transactionHash(payload, devnet.network);
    const told = new Promise((resolve) => devnet.events.once("status", resolve));
    const before = devnet.rejections.length;
    await fixture.client.pushTransactions([payload]);
    await until(() => devnet.rejections.length > before, "the transaction is rejected");
    const rejection = devnet.rejections.at(-1);
    expect(rejection).toMatchObject({
      hash,
      name,
      code: StatusCode[name],
      deadline: payload.readBigUInt64LE(120),
    });
    expect(rejection?.relatedAddresses).toContainEqual(
      addressOfPublicKey(payload.subarray(72, 104), devnet.network.identifier),
    );
    expect(await told).toEqual(rejection);
    expect(devnet.announce(payload)).toEqual({ hash, isUnconfirmed: false, rejection: name });
  });

  test("one invalid transaction takes its batch with it, state failures do not", async () => {
    const { devnet, alice, bob } = scene;
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
    const { devnet, alice } = scene;
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
