import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { TRANSACTION } from "../../catapult/entity/entity-layout.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { BrokerRecord } from "../support/broker-record.js";
import { DevnetFixture } from "../support/devnet.js";
import { type Descriptor, type Party, TransactionMaker } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

const HOUR = 3600;

describe("the lifecycle of a transaction, as reported by packets and ZeroMQ messages", () => {
  let fixture: DevnetFixture;
  let record: BrokerRecord;
  let make: TransactionMaker;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let carol: DevnetAccount;
  /** Milliseconds by which the node's clock is ahead. */
  let ahead = 0;

  beforeAll(async () => {
    const clock = () => Date.now() + ahead;
    fixture = await DevnetFixture.start({ zmqPort: 0, clock });
    make = new TransactionMaker(fixture.devnet, clock);
    [alice, bob, carol] = ["alice", "bob", "carol"].map((name) => fixture.account(name)) as [
      DevnetAccount,
      DevnetAccount,
      DevnetAccount,
    ];
  });

  beforeEach(async () => {
    record = await BrokerRecord.open(fixture.devnet);
  });

  afterEach(() => record.close());

  afterAll(() => fixture.stop());

  function transfer(to: Party, amount: bigint, message = ""): Descriptor {
    return {
      type: "transfer_transaction_v1",
      recipientAddress: new Uint8Array(to.address),
      mosaics: [{ mosaicId: fixture.devnet.currencyMosaicId, amount }],
      message,
    };
  }

  function hashLock(hash: Buffer, duration = 100n): Descriptor {
    return {
      type: "hash_lock_transaction_v1",
      mosaic: { mosaicId: fixture.devnet.currencyMosaicId, amount: 10_000_000n },
      duration,
      hash: new Uint8Array(hash),
    };
  }

  /** A bonded aggregate of alice that bob and carol have to cosign. */
  function bondedAggregate(deadlineSeconds = HOUR): { payload: Buffer; hash: Buffer } {
    const embedded = [alice, bob, carol].map((signer) => make.embedded(signer, transfer(alice, 1n)));
    const payload = make.aggregate(
      { embedded, signer: alice, isBonded: true },
      { deadlineSeconds, cosignaturesToCome: 2 },
    );
    return { payload, hash: make.hashOf(payload) };
  }

  async function harvest(): Promise<number> {
    await fixture.devnet.harvest(1);
    const { height } = fixture.devnet;
    await record.untilBlock(height);
    return height;
  }

  async function pushAndHarvest(payload: Buffer): Promise<number> {
    const hash = make.hashOf(payload);
    await fixture.client.pushTransactions([payload]);
    await until(() => fixture.devnet.isUnconfirmed(hash), "the node has it");
    return harvest();
  }

  /** Locks funds for a bonded aggregate in a block, and announces the aggregate. Returns the height of the lock. */
  async function lockAndWait(
    { payload, hash }: { payload: Buffer; hash: Buffer },
    lock = make.transaction(alice, hashLock(hash)),
  ): Promise<number> {
    const height = await pushAndHarvest(lock);
    await fixture.client.pushPartialTransactions([payload]);
    await record.untilReceivedForAll("partial", hash, 3);
    return height;
  }

  async function cosign(cosigner: Party, hash: Buffer): Promise<void> {
    await fixture.client.pushCosignatures([make.cosignature(cosigner, hash)]);
    await record.untilReceived(
      (one) =>
        one.kind === "cosignature" && one.parentHash.equals(hash) && one.signerPublicKey.equals(cosigner.publicKey),
      "the cosignature is accepted",
    );
  }

  function cosignedBy(cosigner: Party): string {
    return `cosignature ${cosigner.publicKey.toString("hex", 0, 4)}`;
  }

  async function waitingHashes(): Promise<string[]> {
    const waiting = await fixture.client.partialTransactions();
    return waiting.map(({ transaction }) => make.hashOf(transaction).toString("hex"));
  }

  test("a cosignature that is unwanted, invalid, or known changes nothing, and no message is sent", async () => {
    const bonded = bondedAggregate();
    const { hash } = bonded;
    await lockAndWait(bonded);
    const stranger = fixture.account("dave");
    const forged = make.cosignature(bob, hash);
    forged.writeUInt8(forged.readUInt8(72) ^ 1, 72);
    const unwanted = [make.cosignature(stranger, hash), make.cosignature(bob, Buffer.alloc(32, 1)), forged];
    await fixture.client.pushCosignatures(unwanted);
    await cosign(carol, hash);
    await fixture.client.pushCosignatures([make.cosignature(carol, hash)]);
    await harvest();
    expect(record.fateOf(hash)).toEqual(["partial", cosignedBy(carol)]);
    const waiting = (await fixture.client.partialTransactions()).find((one) => one.transaction.equals(bonded.payload));
    expect(waiting?.cosignatures).toHaveLength(1);
  });

  test("a bonded aggregate may include cosignatures; announcing it again may add more of them", async () => {
    const embedded = [alice, bob, carol].map((signer) => make.embedded(signer, transfer(alice, 2n)));
    const content = { embedded, signer: alice, isBonded: true };
    const deadlineSeconds = HOUR + 60;
    const withBob = make.aggregate({ ...content, cosigners: [bob] }, { deadlineSeconds, cosignaturesToCome: 2 });
    const hash = make.hashOf(withBob);
    await pushAndHarvest(make.transaction(alice, hashLock(hash)));
    await fixture.client.pushPartialTransactions([withBob]);
    await record.untilReceived((one) => one.kind === "cosignature" && one.parentHash.equals(hash), "it came cosigned");

    const shortHash = (bytes: Buffer) => bytes.readUInt32LE(0);
    const connection = await fixture.connect();
    const pull = (cosignaturesHash: number) => {
      const request = Buffer.alloc(16);
      // those of other tests have earlier deadlines
      request.writeBigUInt64LE(withBob.readBigUInt64LE(TRANSACTION.deadline), 0);
      request.writeUInt32LE(shortHash(hash), 8);
      request.writeUInt32LE(cosignaturesHash, 12);
      return connection.request(PacketType.pullPartialTransactionInfos, request);
    };
    // a peer with the aggregate but not its cosignature gets its hash and that; a peer with both gets nothing
    const answer = await pull(0);
    expect(answer.subarray(8, 40)).toEqual(hash);
    expect(answer).toHaveLength(8 + 32 + 104);
    const cosignaturesHash = createHash("sha3-256").update(answer.subarray(40)).digest();
    expect(await pull(shortHash(cosignaturesHash))).toHaveLength(0);
    await connection.close();

    await cosign(carol, hash);
    await record.untilReceived((one) => one.kind === "unconfirmed" && one.hash.equals(hash), "it is complete");
    expect(record.fateOf(hash)).toEqual([
      "partial",
      cosignedBy(bob),
      cosignedBy(carol),
      "partialRemoved",
      "unconfirmed",
    ]);
    await harvest();
  });

  test("after a fork, confirmed transactions are unconfirmed again or rejected; a partial one that lost its lock is rejected", async () => {
    const { devnet, client } = fixture;
    const from = devnet.height;
    const kept = make.transaction(alice, transfer(bob, 1n));
    const gift = make.transaction(alice, transfer(bob, 1000n));
    const poor = make.transaction(bob, transfer(alice, devnet.balanceOf(bob.address) - 17_600n + 500n));
    const spent = make.transaction(bob, transfer(carol, 5000n));
    const bonded = bondedAggregate();
    const lock = make.transaction(alice, hashLock(bonded.hash));
    for (const payload of [kept, gift, poor]) await pushAndHarvest(payload);
    await lockAndWait(bonded, lock);
    record.messages.length = 0;

    devnet.fork({ from, blocks: 5, transactions: [[spent], [], [kept]] });
    await record.untilBlock(from + 5);
    const lockHash = make.hashOf(lock);
    await record.untilReceived((one) => one.kind === "unconfirmed" && one.hash.equals(lockHash), "the lock is back");
    await record.untilReceivedForAll("status", bonded.hash, 3);

    expect(record.messages[0]).toEqual({ kind: "droppedBlocks", height: from });
    expect(record.fateOf(make.hashOf(kept))).toEqual(["confirmed"]);
    expect(record.fateOf(make.hashOf(gift))).toEqual(["unconfirmed"]);
    expect(record.fateOf(make.hashOf(poor))).toEqual(["Failure_Core_Insufficient_Balance"]);
    expect(record.fateOf(lockHash)).toEqual(["unconfirmed"]);
    expect(record.fateOf(bonded.hash)).toEqual([
      "partialRemoved",
      "Failure_Extension_Partial_Transaction_Dependency_Removed",
    ]);
    expect(await client.unconfirmedTransactions()).toHaveLength(2);

    // the lock is confirmed again, but the node remembers the aggregate for ten minutes
    await harvest();
    await client.pushPartialTransactions([bonded.payload]);
    expect(await waitingHashes()).not.toContain(bonded.hash.toString("hex"));
    ahead += 11 * 60_000;
    await client.pushPartialTransactions([bonded.payload]);
    await record.untilReceived(
      (one) => one.kind === "partial" && one.hash.equals(bonded.hash),
      "the aggregate is pending again",
    );
  });

  test("pushes of two peers are not dropped together, those of one peer within the time are", async () => {
    const gathering = await DevnetFixture.start({ gatherMs: 1_000 });
    try {
      const maker = new TransactionMaker(gathering.devnet);
      const good = maker.transaction(alice, transfer(bob, 1n));
      const other = maker.transaction(carol, transfer(bob, 1n));
      const bad = maker.transaction(bob, transfer(alice, 1n), {
        tamper: (payload) => payload.writeUInt8(payload.readUInt8(9) ^ 1, 9),
      });
      const another = await gathering.connectAs("another peer");
      // Written at once: also a busy machine has them within the time.
      await Promise.all([
        gathering.client.pushTransactions([good]),
        another.push(PacketType.pushTransactions, other),
        gathering.client.pushTransactions([bad]),
      ]);
      await until(() => gathering.devnet.unconfirmedCount === 1, "the other peer's is accepted");
      await until(() => gathering.devnet.rejections.length === 1, "the bad one is rejected");
      expect(await gathering.client.unconfirmedTransactions()).toEqual([other]);
      expect(gathering.devnet.rejections.map(({ hash }) => hash)).toEqual([maker.hashOf(bad)]);
      await another.close();
    } finally {
      await gathering.stop();
    }
  });
});
