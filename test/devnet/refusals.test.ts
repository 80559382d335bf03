import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { generateNamespaceId, models } from "symbol-sdk/symbol";
import { addressOfPublicKey, aliasAddressOf } from "../../catapult/address.js";
import { transactionHash, transactionSigningBytes } from "../../catapult/hashes.js";
import { PacketType } from "../../catapult/packet-type.js";
import { signData } from "../../catapult/signature.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { deriveDevnetKeys } from "../../devnet/keys.js";
import { FailureCode, type FailureName } from "../../devnet/state/failure-codes.js";
import { until } from "../support/connection-fixtures.js";
import { createTransaction, DevnetFixture, sign, signedAggregate, signedPayload } from "../support/devnet.js";

interface Scene {
  readonly devnet: Devnet;
  readonly alice: DevnetAccount;
  readonly bob: DevnetAccount;
  readonly poor: DevnetAccount;
  readonly nemesis: DevnetAccount;
}

/** One way to be refused: the code, and a transaction that deserves it. */
const WAYS: readonly (readonly [string, FailureName, (scene: Scene) => Buffer])[] = [
  [
    "a deadline in the past",
    "Failure_Core_Past_Deadline",
    ({ devnet, alice }) => signedPayload(devnet, alice, { deadlineSeconds: -1 }),
  ],
  [
    "a deadline too far away",
    "Failure_Core_Future_Deadline",
    ({ devnet, alice }) => signedPayload(devnet, alice, { deadlineSeconds: 6 * 3600 + 60 }),
  ],
  [
    "more than the signer has",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, alice, bob }) =>
      signedPayload(devnet, alice, { recipientAddress: bob.address, amount: alice.balance + 1n }),
  ],
  [
    "no money for the fee",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, alice, bob }) => signedPayload(devnet, alice, { recipientAddress: bob.address, amount: alice.balance }),
  ],
  [
    "a signer that nobody knows",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, poor }) => signedPayload(devnet, poor, { mosaics: [] }),
  ],
  [
    "a mosaic that nobody knows",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, alice }) => signedPayload(devnet, alice, { mosaics: [{ mosaicId: 123n, amount: 1n }] }),
  ],
  [
    "the nemesis account as signer",
    "Failure_Core_Nemesis_Account_Signed_After_Nemesis_Block",
    ({ devnet, nemesis }) => signedPayload(devnet, nemesis, { amount: 1n }),
  ],
  [
    "another network",
    "Failure_Core_Wrong_Network",
    ({ devnet, alice }) => {
      const transaction = createTransaction(devnet, alice);
      transaction.network = models.NetworkType.MAINNET;
      return sign(devnet, alice, transaction);
    },
  ],
  [
    "a recipient with a wrong checksum",
    "Failure_Core_Invalid_Address",
    ({ devnet, alice, bob }) =>
      signedPayload(devnet, alice, { recipientAddress: Buffer.concat([bob.address.subarray(0, 23), Buffer.of(0xff)]) }),
  ],
  [
    "a name that stands for nothing as recipient",
    "Failure_Core_Invalid_Address",
    ({ devnet, alice }) =>
      signedPayload(devnet, alice, { recipientAddress: aliasAddressOf(generateNamespaceId("nobody"), 152) }),
  ],
  [
    "an unknown version",
    "Failure_Core_Invalid_Version",
    ({ devnet, alice }) => changed(signedPayload(devnet, alice), 108, 9),
  ],
  [
    "a fee beyond all multipliers",
    "Failure_Core_Invalid_Transaction_Fee",
    ({ devnet, alice }) => {
      const transaction = createTransaction(devnet, alice);
      transaction.fee = new models.Amount(0xffff_ffffn * BigInt(transaction.size) + 1n);
      return sign(devnet, alice, transaction);
    },
  ],
  [
    "the zero key",
    "Failure_Core_Zero_Public_Key",
    ({ devnet, alice }) => Buffer.from(signedPayload(devnet, alice)).fill(0, 72, 104),
  ],
  [
    "something in reserved bytes",
    "Failure_Core_Nonzero_Internal_Padding",
    ({ devnet, alice }) => changed(signedPayload(devnet, alice), 5, 1),
  ],
  [
    "a long message",
    "Failure_Transfer_Message_Too_Large",
    ({ devnet, alice }) => signedPayload(devnet, alice, { message: Buffer.alloc(1025) }),
  ],
  [
    "mosaics out of order",
    "Failure_Transfer_Out_Of_Order_Mosaics",
    ({ devnet, alice }) => {
      const mosaics = [1n, 2n].map((mosaicId) => ({ mosaicId, amount: 1n }));
      const payload = signedPayload(devnet, alice, { mosaics });
      // symbol-sdk would put them in order
      payload.writeBigUInt64LE(2n, payload.length - 32);
      signData(alice.privateKey, transactionSigningBytes(payload, devnet.network)).copy(payload, 8);
      return payload;
    },
  ],
  [
    "a wrong signature",
    "Failure_Consumer_Batch_Signature_Not_Verifiable",
    ({ devnet, alice }) => changed(signedPayload(devnet, alice), 10, 0x55),
  ],
  [
    "an aggregate without transactions",
    "Failure_Aggregate_No_Transactions",
    ({ devnet, alice }) => signedAggregate(devnet, alice, { embedded: [] }),
  ],
  [
    "an aggregate of too many transactions",
    "Failure_Aggregate_Too_Many_Transactions",
    ({ devnet, alice }) =>
      signedAggregate(devnet, alice, { embedded: Array.from({ length: 101 }, () => ({ signer: alice, fields: {} })) }),
  ],
  [
    "an aggregate with too many cosigners",
    "Failure_Aggregate_Too_Many_Cosignatures",
    ({ devnet, alice, bob }) =>
      signedAggregate(devnet, alice, {
        embedded: [{ signer: alice, fields: {} }],
        cosigners: Array.from({ length: 25 }, () => bob),
      }),
  ],
  [
    "an aggregate with a cosigner twice",
    "Failure_Aggregate_Redundant_Cosignatures",
    ({ devnet, alice, bob }) =>
      signedAggregate(devnet, alice, { embedded: [{ signer: alice, fields: {} }], cosigners: [bob, bob] }),
  ],
  [
    "an aggregate with a cosigner that has no part in it",
    "Failure_Aggregate_Ineligible_Cosignatories",
    ({ devnet, alice, bob }) =>
      signedAggregate(devnet, alice, { embedded: [{ signer: alice, fields: {} }], cosigners: [bob] }),
  ],
  [
    "an aggregate that somebody has not signed",
    "Failure_Aggregate_Missing_Cosignatures",
    ({ devnet, alice, bob }) =>
      signedAggregate(devnet, alice, {
        embedded: [alice, bob].map((signer) => ({ signer, fields: {} })),
      }),
  ],
  [
    "an aggregate with a wrong hash",
    "Failure_Aggregate_Transactions_Hash_Mismatch",
    ({ devnet, alice }) =>
      signedAggregate(devnet, alice, {
        embedded: [{ signer: alice, fields: {} }],
        transactionsHash: Buffer.alloc(32, 1),
      }),
  ],
  [
    "an aggregate with a wrong cosignature",
    "Failure_Consumer_Batch_Signature_Not_Verifiable",
    ({ devnet, alice, bob }) => {
      const embedded = [alice, bob].map((signer) => ({ signer, fields: {} }));
      const payload = signedAggregate(devnet, alice, { embedded, cosigners: [bob] });
      return changed(payload, payload.length - 1, 0x77);
    },
  ],
  [
    "an aggregate of version 1",
    "Failure_Aggregate_V1_Prohibited",
    ({ devnet, alice }) => signedAggregate(devnet, alice, { version: 1, embedded: [{ signer: alice, fields: {} }] }),
  ],
  [
    "an aggregate of version 3",
    "Failure_Core_Invalid_Version",
    ({ devnet, alice }) => signedAggregate(devnet, alice, { version: 3, embedded: [{ signer: alice, fields: {} }] }),
  ],
  [
    "an aggregate whose part cannot be paid",
    "Failure_Core_Insufficient_Balance",
    ({ devnet, alice, bob }) => {
      const fields = { recipientAddress: alice.address, amount: bob.balance + 1n };
      return signedAggregate(devnet, bob, { embedded: [{ signer: bob, fields }] });
    },
  ],
];

describe("transactions that a devnet refuses", () => {
  let fixture: DevnetFixture;
  let scene: Scene;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
    await fixture.devnet.harvest(1);
    const [alice, bob] = fixture.devnet.accounts as [DevnetAccount, DevnetAccount];
    const other = deriveDevnetKeys("another seed").harvester;
    const nemesis = deriveDevnetKeys("development").nemesis;
    const asAccount = ({ publicKey, privateKey }: { publicKey: Buffer; privateKey: Buffer }) => {
      return { ...alice, publicKey, privateKey, balance: 0n };
    };
    scene = { devnet: fixture.devnet, alice, bob, poor: asAccount(other), nemesis: asAccount(nemesis) };
  });

  afterEach(async () => {
    expect(scene.devnet.unconfirmedCount).toBe(0);
    const { height } = scene.devnet;
    await scene.devnet.harvest(1);
    expect(scene.devnet.height).toBe(height + 1);
    expect(scene.devnet.balanceOf(scene.alice.address)).toBe(scene.alice.balance);
  });

  afterAll(() => fixture.stop());

  test.each(WAYS)("%s: %s", async (_, name, make) => {
    const { devnet } = scene;
    const payload = make(scene);
    const hash = transactionHash(payload, devnet.network);
    const told = new Promise((resolve) => devnet.events.once("status", resolve));
    const before = devnet.refusals.length;
    await fixture.client.pushTransactions([payload]);
    await until(() => devnet.refusals.length > before, "the transaction is refused");
    const refusal = devnet.refusals.at(-1);
    expect(refusal).toMatchObject({
      hash,
      name,
      code: FailureCode[name],
      deadline: payload.readBigUInt64LE(120),
    });
    expect(refusal?.relatedAddresses).toContainEqual(
      addressOfPublicKey(payload.subarray(72, 104), devnet.network.identifier),
    );
    expect(await told).toEqual(refusal);
    expect(devnet.announce(payload)).toEqual({ hash, isUnconfirmed: false, refusal: name });
  });

  test("one bad transaction takes its batch with it, state failures do not", async () => {
    const { devnet, alice, bob } = scene;
    const good = signedPayload(devnet, alice, { feeMultiplier: 10 });
    const badlySigned = changed(signedPayload(devnet, bob), 10, 0x55);
    const unpayable = signedPayload(devnet, bob, { recipientAddress: alice.address, amount: bob.balance });
    const connection = await fixture.connect();
    const before = devnet.refusals.length;

    await connection.push(PacketType.pushTransactions, Buffer.concat([good, badlySigned]));
    await until(() => devnet.refusals.length > before, "the first batch is refused");
    expect(devnet.refusals.slice(before).map(({ name }) => name)).toEqual([
      "Failure_Consumer_Batch_Signature_Not_Verifiable",
    ]);
    expect(devnet.unconfirmedCount).toBe(0);

    const free = signedPayload(devnet, bob, { message: Buffer.from("\0free") });
    await connection.push(PacketType.pushTransactions, Buffer.concat([unpayable, free]));
    await until(() => devnet.unconfirmedCount === 1, "the second batch is half taken");
    await connection.close();
    await devnet.harvest(1);
  });

  test("pushes can be gathered as at a real node", async () => {
    const gathering = await DevnetFixture.start({ gatherMs: 30 });
    try {
      const { devnet, client } = gathering;
      const good = signedPayload(devnet, gathering.account("alice"));
      const bad = changed(signedPayload(devnet, gathering.account("bob")), 10, 0x55);
      await client.pushTransactions([good, bad]);
      await until(() => devnet.refusals.length === 1, "the batch is refused");
      expect(devnet.unconfirmedCount).toBe(0);
      const later = signedPayload(devnet, gathering.account("alice"), { deadlineSeconds: 60 });
      await client.pushTransactions([good, later]);
      await until(() => devnet.unconfirmedCount > 0, "a good one is taken");
      // what a node has seen it does not look at again
      expect(await client.unconfirmedTransactions()).toEqual([later]);
    } finally {
      await gathering.stop();
    }
  });

  test("a pool that is full takes no more", async () => {
    const small = await DevnetFixture.start({ rules: { unconfirmedTransactionsCacheMaxSize: 400 } });
    try {
      const { devnet } = small;
      const results = [1n, 2n, 3n].map((amount) =>
        devnet.announce(
          signedPayload(devnet, small.account("alice"), { recipientAddress: small.account("bob").address, amount }),
        ),
      );
      expect(results.map(({ refusal }) => refusal)).toEqual([
        undefined,
        undefined,
        "Failure_Chain_Unconfirmed_Cache_Too_Full",
      ]);
    } finally {
      await small.stop();
    }
  });

  test("an unconfirmed transaction is refused once its deadline has passed", async () => {
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
      expect(devnet.refusals).toMatchObject([{ hash, name: "Failure_Core_Past_Deadline" }]);
      expect(removed).toEqual([hash]);
    } finally {
      await fast.stop();
    }
  });

  test("bytes that are no transaction are dropped in silence", async () => {
    const { devnet, alice } = scene;
    const payload = signedPayload(devnet, alice);
    const before = devnet.refusals.length;
    const connection = await fixture.connect();
    for (const bytes of [
      payload.subarray(0, payload.length - 1),
      Buffer.concat([payload, Buffer.alloc(3)]),
      changed(payload, 110, 0x99),
      Buffer.alloc(500),
    ])
      await connection.push(PacketType.pushTransactions, bytes);
    expect(await connection.request(PacketType.pullTransactions, Buffer.alloc(12))).toHaveLength(0);
    expect(devnet.refusals).toHaveLength(before);
    await connection.close();
  });
});

/** The same bytes but one. */
function changed(payload: Buffer, offset: number, value: number): Buffer {
  const copy = Buffer.from(payload);
  copy[offset] = copy[offset] === value ? value ^ 0xff : value;
  return copy;
}
