import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { sha3 } from "../../catapult/entity/hashes.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { recordAnnouncement } from "../../database/mempool/announcements.js";
import type { AnnouncementKind } from "../../database/tables/pending.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { PacketHandler } from "../../devnet/protocol/packet-server.js";
import { hexOf, LifeScene, type Source } from "../support/lifecycle-scene.js";
import { until } from "../support/until.js";

const sources: readonly Source[] = ["broker", "pool"];

describe.each(sources)(
  "an announcement through a gateway is resolved, with pending transactions from the %s",
  (source) => {
    let scene: LifeScene;
    let alice: DevnetAccount;
    let bob: DevnetAccount;
    /** Handlers of the node that a test has replaced. */
    const replaced = new Map<number, PacketHandler | undefined>();

    beforeAll(async () => {
      scene = await LifeScene.start(source);
      [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
    });

    beforeEach(() => scene.index.db.deleteFrom("announcements").execute());

    afterEach(() => {
      const { handlers } = scene.fixture.devnet;
      for (const [type, handler] of replaced) if (handler) handlers.set(type, handler);
      replaced.clear();
    });

    afterAll(() => scene.stop());

    /** Lets the node swallow packets of a type. @returns their payloads, in order */
    function swallow(type: number): Buffer[] {
      const { handlers } = scene.fixture.devnet;
      const swallowed: Buffer[] = [];
      replaced.set(type, handlers.get(type));
      handlers.set(type, (payload) => {
        swallowed.push(payload);
        return undefined;
      });
      return swallowed;
    }

    /** Stores an announcement, as a gateway does before it pushes. */
    async function announce(kind: AnnouncementKind, payload: Buffer, parentHash?: Buffer): Promise<Buffer> {
      const hash = parentHash ? sha3(payload) : scene.make.hashOf(payload);
      const deadline = parentHash ? scene.now() + 3_600_000 : Number(payload.readBigUInt64LE(120));
      await recordAnnouncement(
        scene.index.db,
        { hash, kind, payload, parentHash, deadline },
        scene.fixture.devnet.publicKey,
      );
      return hash;
    }

    const transfer = (amount: bigint, deadlineSeconds = 3600) =>
      scene.make.transaction(alice, scene.transfer(bob.address, amount), { deadlineSeconds });

    /** Lets the next push be due: no node counts as having got it. */
    const beDue = () =>
      scene.index.db
        .updateTable("announcements")
        .set({ next_push_at: sql`now()`, pushed_to: {} })
        .where("next_push_at", "is not", null)
        .execute();
    const row = async (hash: Buffer) =>
      scene.index.db.selectFrom("announcements").selectAll().where("hash", "=", hash).executeTakeFirst();

    test("confirmed: it is reported, and not pushed again", async () => {
      const payload = transfer(1n);
      const hash = await announce("transaction", payload);
      await scene.push(payload);
      await scene.untilReported(hash, "unconfirmedAdded");
      expect(await row(hash)).toMatchObject({ pushes: 1, next_push_at: null, reported_at: expect.any(Date) });
      await scene.harvest();
      expect(await scene.status(hash)).toMatchObject({ group: "confirmed" });
    });

    test("confirmed before any other message: all events are emitted nevertheless", async () => {
      const { devnet } = scene.fixture;
      const payload = transfer(2n);
      await scene.index.stop();
      const hash = await announce("transaction", payload);
      await scene.push(payload);
      await devnet.harvest(1);
      await scene.follow(source);
      expect(await scene.channels(hash)).toEqual(["unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"]);
    });

    test("the push was lost: it is pushed again, and reported", async () => {
      const payload = transfer(3n);
      const hash = await announce("transaction", payload);
      await beDue();
      await scene.untilReported(hash, "unconfirmedAdded");
      expect(await row(hash)).toMatchObject({ pushes: 2, next_push_at: null });
      await scene.harvest();
      expect(await scene.channels(hash)).toEqual(["unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"]);
    });

    test("shortly before its deadline it is no longer pushed", async () => {
      const swallowed = swallow(PacketType.pushTransactions);
      await announce("transaction", transfer(5n, 5));
      await beDue();
      const payload = transfer(6n);
      await announce("transaction", payload);
      await beDue();
      await until(() => swallowed.length > 0, "the other is pushed");
      expect(swallowed).toEqual([payload]);
    });

    test("dropped: it is pushed repeatedly, then reported and stored as dropped at its deadline", async () => {
      const swallowed = swallow(PacketType.pushTransactions);
      const payload = transfer(4n, 600);
      const hash = await announce("transaction", payload);
      for (const pushes of [2, 3]) {
        await beDue();
        await until(async () => (await row(hash))?.pushes === pushes, `it is pushed ${pushes} times`);
      }
      await until(() => swallowed.length >= 2, "both pushes arrive");
      expect(swallowed).toEqual([payload, payload]);
      const waits = await scene.index.db
        .selectFrom("announcements")
        .select(sql<number>`extract(epoch from next_push_at - last_pushed_at)::float8`.as("seconds"))
        .execute();
      expect(waits).toEqual([{ seconds: 660 }]);
      expect(await scene.status(hash)).toMatchObject({ group: "unconfirmed", held: true });

      scene.pass(601_000);
      await scene.harvest();
      await scene.untilReported(hash, "status");
      expect(await scene.life(hash)).toEqual([
        { channel: "status", detail: "Neutral", addresses: hexOf([alice.address, bob.address]) },
      ]);
      expect(await scene.status(hash)).toMatchObject({ group: "failed", code: "Neutral" });
      await until(async () => (await row(hash)) === undefined, "the announcement is forgotten");
    });

    test("a bonded aggregate and a cosignature whose pushes were lost", async () => {
      const embedded = [alice, bob].map((signer) => scene.make.embedded(signer, scene.transfer(alice.address, 1n)));
      const payload = scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 1 });
      const hash = scene.make.hashOf(payload);
      await scene.confirm(scene.make.transaction(alice, scene.hashLock(hash)));
      await announce("partial", payload);
      await beDue();
      await scene.untilReported(hash, "partialAdded");

      const cosignature = await announce("cosignature", scene.make.cosignature(bob, hash), hash);
      await beDue();
      await scene.untilReported(hash, "unconfirmedAdded");
      const isReported = async () => {
        await beDue();
        return (await row(cosignature))?.next_push_at === null;
      };
      await until(isReported, "the cosignature was reported");
      await scene.harvest();
      expect(await scene.channels(hash)).toEqual([
        "partialAdded",
        "cosignature",
        "partialRemoved",
        "unconfirmedAdded",
        "unconfirmedRemoved",
        "confirmedAdded",
      ]);
    });

    test("what the node forgets is pushed again as a whole: an aggregate, and its cosignatures after it", async () => {
      const carol = scene.fixture.account("carol");
      const signers = [alice, bob, carol, scene.fixture.account("dave")];
      const embedded = signers.map((signer) => scene.make.embedded(signer, scene.transfer(alice.address, 1n)));
      const payload = scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 3 });
      const hash = scene.make.hashOf(payload);
      await scene.confirm(scene.make.transaction(alice, scene.hashLock(hash)));
      await announce("partial", payload);
      await scene.fixture.client.pushPartialTransactions([payload]);
      await scene.untilReported(hash, "partialAdded");
      const byBob = scene.make.cosignature(bob, hash);
      await announce("cosignature", byBob, hash);
      // Carol's is announced elsewhere.
      const byCarol = scene.make.cosignature(carol, hash);
      await scene.fixture.client.pushCosignatures([byBob, byCarol]);
      await scene.untilReported(hash, "cosignature", 2);
      await until(async () => {
        await beDue();
        return (await row(sha3(byBob)))?.next_push_at === null;
      }, "the cosignature was reported");

      const { handlers } = scene.fixture.devnet;
      const { pullPartialTransactionInfos, pushPartialTransactions } = PacketType;
      replaced.set(pullPartialTransactionInfos, handlers.get(pullPartialTransactionInfos));
      const pushed = swallow(pushPartialTransactions);
      const cosigned = swallow(PacketType.pushDetachedCosignatures);
      handlers.set(pullPartialTransactionInfos, () => Buffer.alloc(0));
      await scene.untilReported(hash, "partialRemoved");
      const isHeld = async (of: Buffer) =>
        scene.index.db
          .selectFrom("announcements")
          .select(sql<boolean>`state = 'held'`.as("held"))
          .where("hash", "=", of)
          .executeTakeFirst();
      for (const cosignature of [byBob, byCarol]) expect(await isHeld(sha3(cosignature))).toEqual({ held: true });
      await until(async () => (await isHeld(hash))?.held === false, "its lock is in a block");
      await scene.index.db
        .updateTable("announcements")
        .set({ next_push_at: sql`now()`, pushed_to: {} })
        .where("hash", "=", hash)
        .execute();
      await until(() => pushed.length > 0, "it is pushed again");
      expect(pushed[0]).toEqual(payload);
      expect(cosigned).toEqual([]);
      await scene.index.db.updateTable("announcements").set({ pushed_to: {} }).execute();
      // The node has it again, as far as the index knows without its cosignatures.
      await scene.index.db
        .insertInto("pending_transactions")
        .values({
          id: Buffer.alloc(12, 0xff),
          group: "partial",
          embedded: false,
          hash,
          type: payload.readUInt16LE(110),
          signer_public_key: alice.publicKey,
          recipient_address: null,
          deadline: Number(payload.readBigUInt64LE(120)),
          addresses: [],
          payload,
          ...{ position: 0, size: payload.length, embedded_size: 0 },
          added_at: new Date(),
        })
        .execute();
      await until(() => cosigned.length === 2, "the cosignatures are pushed");
      expect(cosigned.sort(Buffer.compare)).toEqual([byBob, byCarol].sort(Buffer.compare));
      await scene.index.db.deleteFrom("pending_transactions").where("hash", "=", hash).execute();
    });

    test("also an aggregate that was announced elsewhere: until the node has it again, no list shows it and its status says so", async () => {
      const carol = scene.fixture.account("carol");
      const embedded = [alice, bob, carol].map((signer) =>
        scene.make.embedded(signer, scene.transfer(alice.address, 1n)),
      );
      const payload = scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 2 });
      const hash = scene.make.hashOf(payload);
      await scene.confirm(scene.make.transaction(alice, scene.hashLock(hash)));
      await scene.fixture.client.pushPartialTransactions([payload]);
      await scene.untilReported(hash, "partialAdded");
      const byBob = scene.make.cosignature(bob, hash);
      await scene.fixture.client.pushCosignatures([byBob]);
      await scene.untilReported(hash, "cosignature");
      const key = hash.toString("hex");
      const listed = async () => (await scene.waiting("partial")).some((one) => one.toLowerCase() === key);
      expect([await listed(), await scene.status(hash)]).toEqual([true, expect.not.objectContaining({ held: true })]);

      const { handlers } = scene.fixture.devnet;
      const { pullPartialTransactionInfos: pull, pushPartialTransactions, pushDetachedCosignatures } = PacketType;
      const show = handlers.get(pull)!;
      replaced.set(pull, show);
      const pushed = swallow(pushPartialTransactions);
      const cosigned = swallow(pushDetachedCosignatures);
      handlers.set(pull, () => Buffer.alloc(0));
      await scene.untilReported(hash, "partialRemoved");
      expect(await listed()).toBe(false);
      expect(await scene.status(hash)).toMatchObject({ group: "partial", held: true });
      await until(async () => {
        await scene.index.db
          .updateTable("announcements")
          .set({ next_push_at: sql`now()` })
          .where("hash", "=", hash)
          .where("state", "=", "pushed")
          .execute();
        return pushed.length > 0;
      }, "it is pushed again");
      expect(pushed[0]).toEqual(payload);
      handlers.set(pull, show);
      await scene.untilReported(hash, "partialAdded", 2);
      expect([await listed(), await scene.status(hash)]).toEqual([true, expect.not.objectContaining({ held: true })]);
      expect(cosigned.every((one) => one.equals(byBob))).toBe(true);
    });

    test("a pending transaction announced again is reported once", async () => {
      const payload = transfer(8n);
      const hash = await scene.push(payload);
      await scene.untilReported(hash, "unconfirmedAdded");
      await announce("transaction", payload);
      await scene.push(payload);
      const isKnown = async () => {
        await beDue();
        return (await row(hash))?.next_push_at === null;
      };
      await until(isKnown, "it is pending");
      await scene.harvest();
      expect(await scene.channels(hash)).toEqual(["unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"]);
    });

    test("after a fork a confirmed announcement is open again: it is pushed if the node lost it", async () => {
      const { devnet } = scene.fixture;
      const from = devnet.height;
      const payload = transfer(9n);
      await announce("transaction", payload);
      const hash = await scene.confirm(payload);
      expect(await row(hash)).toMatchObject({ next_push_at: null });
      const blocks = devnet.fork({ from, blocks: 2 });
      await scene.index.waitForHash(blocks.at(-1)!.hash);
      await scene.untilReported(hash, "unconfirmedAdded", 2);
      expect(await row(hash)).toMatchObject({ next_push_at: null });
      await scene.harvest();
      expect(await scene.status(hash)).toMatchObject({ group: "confirmed" });
    });

    test("missing from the node's pool without a message: removed is emitted, it stays open, and it is pushed again", async () => {
      const { handlers } = scene.fixture.devnet;
      const payload = transfer(11n);
      await announce("transaction", payload);
      const hash = await scene.push(payload);
      await scene.untilReported(hash, "unconfirmedAdded");
      for (const type of [PacketType.pullTransactions, PacketType.pushTransactions])
        replaced.set(type, handlers.get(type));
      const pushed = swallow(PacketType.pushTransactions);
      handlers.set(PacketType.pullTransactions, () => Buffer.alloc(0));
      await scene.untilReported(hash, "unconfirmedRemoved");
      expect(await scene.status(hash)).toMatchObject({ group: "unconfirmed", code: "Success" });
      expect(await scene.waiting("unconfirmed")).toEqual([]);
      await beDue();
      await until(() => pushed.length > 0, "it is pushed again");
      expect(pushed[0]).toEqual(payload);

      scene.pass(3_601_000);
      await scene.index.waitForHash((await scene.fixture.devnet.harvest(1))[0]!.hash);
      await scene.untilReported(hash, "status");
      expect(await scene.channels(hash)).toEqual([
        "unconfirmedAdded",
        "unconfirmedRemoved",
        "status Failure_Core_Past_Deadline",
      ]);
      expect(await scene.status(hash)).toMatchObject({ group: "failed", code: "Failure_Core_Past_Deadline" });
    });

    if (source === "broker") {
      test("rejected: the node's code is reported and stored, and nothing is pushed again", async () => {
        const payload = scene.make.transaction(alice, scene.transfer(bob.address, 10n ** 16n));
        const hash = await announce("transaction", payload);
        await scene.fixture.client.pushTransactions([payload]);
        await scene.untilReported(hash, "status");
        const code = "Failure_Core_Insufficient_Balance";
        expect(await scene.life(hash)).toEqual([
          { channel: "status", detail: code, addresses: hexOf([alice.address, bob.address]) },
        ]);
        expect(await scene.status(hash)).toMatchObject({ group: "failed", code });
        expect(await row(hash)).toMatchObject({ next_push_at: null });
      });
    } else {
      test("rejected without a reason: it is reported as dropped at its deadline", async () => {
        const payload = scene.make.transaction(alice, scene.transfer(bob.address, 10n ** 16n), {
          deadlineSeconds: 600,
        });
        const hash = await announce("transaction", payload);
        await scene.fixture.client.pushTransactions([payload]);
        await scene.harvest();
        expect(await scene.status(hash)).toMatchObject({ group: "unconfirmed", held: true });
        scene.pass(601_000);
        await scene.harvest();
        await scene.untilReported(hash, "status");
        expect(await scene.status(hash)).toMatchObject({ group: "failed", code: "Neutral" });
      });
    }
  },
);
