import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { holdAnnouncement, recordAnnouncement } from "../../database/mempool/announcements.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { Change } from "../../indexer/mempool/change.js";
import { rejectUnlocked } from "../../indexer/mempool/held-announcements.js";
import { writeMempoolStep } from "../../indexer/mempool/mempool-step.js";
import { indexContext } from "../support/index-context.js";
import { LifeScene } from "../support/lifecycle-scene.js";
import { pause, until } from "../support/until.js";

const POLL_MS = 5;

describe("the status of a transaction, polled all the time", () => {
  let scene: LifeScene;
  let alice: DevnetAccount;
  let bob: DevnetAccount;

  beforeAll(async () => {
    scene = await LifeScene.start("broker");
    [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
  });

  afterAll(() => scene.stop());

  /** Collects the statuses of a transaction until `end` is called, each once in a row. */
  function poll(hash: Buffer) {
    const seen: string[] = [];
    let hasEnded = false;
    const polling = (async () => {
      while (!hasEnded) {
        const { group, code, held } = (await scene.status(hash)) ?? { group: "unknown" };
        // Between two of the node's caches a partial one is in neither, and held for a moment.
        const isHeld = held && group !== "partial";
        const name = group === "failed" ? `failed ${code}` : isHeld ? `${group} (held)` : group;
        if (seen.at(-1) !== name) seen.push(name);
        await pause(POLL_MS);
      }
    })();
    const reached = (status: string) => until(() => seen.at(-1) === status, `the last status is ${status}`);
    return {
      seen,
      reached,
      async end(last: string) {
        await reached(last);
        hasEnded = true;
        await polling;
        return seen;
      },
    };
  }

  function bonded(amount = 1n): Buffer {
    const embedded = [alice, bob].map((signer) => scene.make.embedded(signer, scene.transfer(alice.address, amount)));
    return scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 1 });
  }

  /** Lets the indexer write what a node would have said. */
  async function write(...changes: Change[]): Promise<void> {
    const { signal } = new AbortController();
    await writeMempoolStep(indexContext(scene.index.db, scene.fixture.devnet.network), changes, signal);
  }

  const rejected = (hash: Buffer, code: string): Change => ({
    kind: "rejectedByNode",
    hash,
    code,
    deadline: 1n,
    addresses: [alice.address],
  });

  test("an aggregate that was announced before its lock, and then again: failed, partial, unconfirmed, confirmed", async () => {
    const payload = bonded();
    const hash = scene.make.hashOf(payload);
    const { client } = scene.fixture;
    const polled = poll(hash);
    await polled.reached("unknown");
    await client.pushPartialTransactions([payload]);
    await polled.reached("failed Failure_LockHash_Unknown_Hash");
    await scene.confirm(scene.make.transaction(alice, scene.hashLock(hash)));
    // A node ignores it before.
    scene.pass(601_000);
    await client.pushPartialTransactions([payload]);
    await polled.reached("partial");
    await client.pushCosignatures([scene.make.cosignature(bob, hash)]);
    await polled.reached("unconfirmed");
    await scene.harvest();
    expect(await polled.end("confirmed")).toEqual([
      "unknown",
      "failed Failure_LockHash_Unknown_Hash",
      "partial",
      "unconfirmed",
      "confirmed",
    ]);
    expect(await scene.channels(hash)).toEqual([
      "status Failure_LockHash_Unknown_Hash",
      "partialAdded",
      "cosignature",
      "partialRemoved",
      "unconfirmedAdded",
      "unconfirmedRemoved",
      "confirmedAdded",
    ]);
  });

  test("rejections of copies while it is alive are no status, in any of its states", async () => {
    const payload = bonded(2n);
    const code = "Failure_Consumer_Batch_Signature_Not_Verifiable";
    const hash = await scene.bond(alice, payload);
    const polled = poll(hash);
    await polled.reached("partial");
    await write(rejected(hash, code));
    // Between two of the node's caches it is in neither.
    await write({ kind: "partialRemoved", hash }, rejected(hash, code));
    await scene.fixture.client.pushCosignatures([scene.make.cosignature(bob, hash)]);
    await polled.reached("unconfirmed");
    await write(rejected(hash, code));
    await write({ kind: "unconfirmedRemoved", hash });
    await scene.harvest();
    await write(rejected(hash, code), rejected(hash, "Failure_Hash_Already_Exists"));
    expect(await polled.end("confirmed")).toEqual(["partial", "unconfirmed", "confirmed"]);
    expect((await scene.channels(hash)).filter((channel) => channel.startsWith("status"))).toEqual([]);
  });

  test("one that is complete and then rejected: it fails once, with the reason", async () => {
    const payload = bonded(10n ** 17n);
    const hash = await scene.bond(alice, payload);
    const polled = poll(hash);
    await polled.reached("partial");
    await scene.fixture.client.pushCosignatures([scene.make.cosignature(bob, hash)]);
    expect(await polled.end("failed Failure_Core_Insufficient_Balance")).toEqual([
      "partial",
      "failed Failure_Core_Insufficient_Balance",
    ]);
    expect(await scene.channels(hash)).toEqual([
      "partialAdded",
      "cosignature",
      "partialRemoved",
      "status Failure_Core_Insufficient_Balance",
    ]);
  });

  test("an announcement that no node has reported is held: before an older failure, and until its own end", async () => {
    const payload = scene.make.transaction(alice, scene.transfer(bob.address, 3n), { deadlineSeconds: 600 });
    const hash = scene.make.hashOf(payload);
    await write(rejected(hash, "Failure_Core_Insufficient_Balance"));
    const polled = poll(hash);
    await until(() => polled.seen.length > 0, "the first status");
    const deadline = Number(payload.readBigUInt64LE(120));
    await recordAnnouncement(
      scene.index.db,
      { hash, kind: "transaction", payload, deadline },
      scene.fixture.devnet.publicKey,
    );
    await until(() => polled.seen.length > 1, "it is held");
    // A copy of it, which does not reach the node.
    const code = "Failure_Consumer_Batch_Signature_Not_Verifiable";
    await write({ kind: "rejected", id: 0, hash, code, deadline: 1n, addresses: [] });
    scene.pass(601_000);
    await scene.harvest();
    const reason = "failed Failure_Core_Insufficient_Balance";
    expect(await polled.end(reason)).toEqual([reason, "unconfirmed (held)", reason]);
    // Once for each code.
    expect(await scene.channels(hash)).toHaveLength(1);
  });

  test("an aggregate that is held is rejected when its lock is neither in a block nor pending", async () => {
    const { db } = scene.index;
    // The indexer does not see what it writes.
    const trx = await db.startTransaction().execute();
    try {
      const hashes: Buffer[] = [];
      for (const amount of [21n, 22n]) {
        const payload = bonded(amount);
        const hash = scene.make.hashOf(payload);
        await holdAnnouncement(trx, { hash, kind: "partial", payload, deadline: scene.now() + 3_600_000 }, "client");
        hashes.push(hash);
      }
      const lock = scene.make.transaction(alice, scene.hashLock(hashes[0]!));
      const deadline = scene.now() + 3_600_000;
      const announcement = { hash: scene.make.hashOf(lock), kind: "transaction", payload: lock, deadline } as const;
      await recordAnnouncement(trx, announcement, scene.fixture.devnet.publicKey);
      await rejectUnlocked(trx, scene.fixture.devnet.network, scene.now());
      const held = await trx.selectFrom("announcements").select("hash").where("hash", "in", hashes).execute();
      expect(held).toEqual([{ hash: hashes[0] }]);
      const rejections = await trx.selectFrom("rejected_announcements").select(["hash", "code"]).execute();
      expect(rejections).toEqual([{ hash: hashes[1], code: "Failure_LockHash_Unknown_Hash" }]);
    } finally {
      await trx.rollback().execute();
    }
  });
});
