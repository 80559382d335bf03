import { mock } from "node:test";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { dropRows } from "../../indexer/chain/step/dropped-rows.js";
import type { Change } from "../../indexer/mempool/change.js";
import { ChangeWriter } from "../../indexer/mempool/change-writer.js";
import { awaitDropped } from "../../indexer/mempool/pending-in-blocks.js";
import { readPendingTransaction } from "../../indexer/mempool/pending-transaction.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { devnetConfig } from "../support/devnet-execution.js";
import { indexContext } from "../support/index-context.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { writtenLives } from "../support/recorded-lifecycle.js";
import { SeededRandom } from "../support/seeded-random.js";

const COUNT = 60;
const CODE = "Failure_Core_Insufficient_Balance";

let fixture: DevnetFixture;
let network: NetworkIdentity;
let index: IndexedDatabase;
/** All in the newest block. */
let payloads: Buffer[];
let kept: number;

beforeAll(async () => {
  fixture = await DevnetFixture.start({ seed: "order of changes" });
  const { devnet } = fixture;
  network = devnet.network;
  kept = devnet.height;
  payloads = Array.from({ length: COUNT }, (_, at) =>
    signedPayload(devnet, fixture.account("alice"), { amount: BigInt(at + 1) }),
  );
  for (const payload of payloads) devnet.announce(payload);
  await devnet.harvest(1);
  const config = await devnetConfig(devnet);
  index = await IndexedDatabase.create();
  await index.follow(devnet, { execution: { configOf: () => config } });
  await index.waitForHash(devnet.block(devnet.height).hash);
  await index.stop();
});

afterAll(async () => {
  mock.timers.reset();
  mock.restoreAll();
  await index.drop();
  await fixture.stop();
});

/** What a node says of a transaction whose block it has left: added, removed, perhaps rejected, perhaps again. */
function drawnStory(payload: Buffer, random: SeededRandom): Change[] {
  const pending = readPendingTransaction(payload, network);
  const { hash } = pending;
  const added = { kind: "unconfirmedAdded", hash, pending, addresses: [] } as const;
  const removed = { kind: "unconfirmedRemoved", hash } as const;
  const deadline = BigInt(pending.deadline);
  const rejected = { kind: "rejectedByNode", hash, code: CODE, deadline, addresses: [] } as const;
  const story: Change[] = [];
  for (let turn = random.below(3); turn >= 0; --turn) {
    story.push(added);
    if (turn === 0 && random.below(3) === 0) continue;
    const end = random.below(3);
    story.push(...(end === 0 ? [removed] : end === 1 ? [removed, rejected] : [rejected, removed]));
  }
  return story;
}

/** The stories, one change after the other, in any order that keeps each. */
function interleaved(stories: readonly (readonly Change[])[], random: SeededRandom): Change[] {
  const left = stories.map((story) => [...story]);
  const all: Change[] = [];
  for (let open = left; open.length > 0; open = open.filter(({ length }) => length > 0)) {
    all.push(open[random.below(open.length)]!.shift()!);
  }
  return all;
}

test("what a node says of transactions before their block is dropped here is applied in its order", async () => {
  // A rejection counts as the reason of a removal for some seconds, which a busy machine may need for the steps between.
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const at = performance.now();
  mock.method(performance, "now", () => at);
  const random = new SeededRandom();
  const stories = payloads.map((payload) => drawnStory(payload, random));
  const changes = interleaved(stories, random);
  const { signal } = new AbortController();
  const writer = new ChangeWriter(indexContext(index.db, network), signal);
  // The block is dropped while some are written and others are queued.
  const dropAt = random.below(changes.length);
  let dropped: Promise<unknown> = Promise.resolve();
  for (let at = 0; at < changes.length; ) {
    const part = changes.slice(at, at + 1 + random.below(20));
    const isWritten = writer.write(part);
    if (at <= dropAt && dropAt < at + part.length) {
      dropped = index.db
        .transaction()
        .execute(async (trx) => {
          await trx.selectFrom("head").selectAll().forUpdate().execute();
          await awaitDropped(trx, kept);
          await dropRows(trx, kept);
        })
        .then(() => writer.afterRollBack());
    }
    at += part.length;
    if (random.below(2) === 0) await isWritten;
  }
  await dropped;
  await writer.written();

  const unconfirmed = await index.db.selectFrom("pending_transactions").select("hash").execute();
  const pending = new Set(unconfirmed.map(({ hash }) => hash?.toString("hex")));
  const rejections = await index.db.selectFrom("transaction_statuses").select("hash").execute();
  const rejected = new Set(rejections.map(({ hash }) => hash.toString("hex")));
  const lives = await writtenLives(index.db);
  for (const story of stories) {
    const hash = story[0]!.hash.toString("hex");
    const last = story.findLastIndex(({ kind }) => kind === "unconfirmedAdded");
    const isPending = last === story.length - 1;
    const reason = story.slice(last).some(({ kind }) => kind === "rejectedByNode");
    const told = (lives.get(hash.toUpperCase()) ?? []).map(({ channel }) => channel).filter((one) => one !== "status");
    const balance =
      told.filter((one) => one === "unconfirmedAdded").length -
      told.filter((one) => one === "unconfirmedRemoved").length;
    const seen = {
      story: story.map(({ kind }) => kind),
      isPending: pending.has(hash),
      balance: told.at(-1) === "confirmedAdded" ? 0 : balance,
    };
    expect(seen).toMatchObject({ isPending, balance: isPending ? 1 : 0 });
    expect({ ...seen, isRejected: rejected.has(hash) }).toMatchObject({ isRejected: !isPending && reason });
  }
});
