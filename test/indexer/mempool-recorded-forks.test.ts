import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { findTransactionStatuses } from "../../database/mempool/transaction-statuses.js";
import { describeRecorded } from "../support/describe-chains.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { blockMessages, type DecodedMessage, decoded, LifePlayer } from "../support/lifecycle-player.js";
import type { RecordedChain } from "../support/recorded-chain.js";
import { executedIndex } from "../support/recorded-index.js";
import {
  hashOfMessage,
  isAboutTransaction,
  type Lives,
  linesOf,
  recordedLives,
  writtenLives,
} from "../support/recorded-lifecycle.js";
import { RecordedBranches, recordedForks, recordedNode } from "../support/recorded-node.js";
import { SeededRandom } from "../support/seeded-random.js";

/** Offset of the previous block's hash in a block's header. */
const PREVIOUS_HASH = 216;
/** The forks, the outcome of the transactions that they dropped, and some later blocks. */
const PLAYED_MS = 500_000;
/** Events of a fork are emitted within this time, in ms. */
const BURST_MS = 40;

/** As in `fate.json`. */
interface Fate {
  readonly fork: number;
  readonly fate: Readonly<Record<string, number>>;
}

/** One order in which the same messages can arrive. */
interface Way {
  /** Which source shows the new branch first. */
  first(fork: number): "node" | "broker";
  /** The order of the broker's messages about a fork. */
  order(burst: readonly DecodedMessage[]): readonly DecodedMessage[];
}

describeRecorded("the recorded messages about three forks, played over a real socket", (chain: RecordedChain) => {
  const recording = recordedNode(chain);
  const branches = new RecordedBranches(chain);
  const messages = chain
    .lines<{ ms: number; frames: string[] }>("fork/frames.jsonl.gz")
    .filter(({ ms }) => ms < PLAYED_MS)
    .map(({ ms, frames }) => ({ ms, frames: frames.map((frame) => Buffer.from(frame, "hex")) }));
  const forks = recordedForks(chain);
  const fates = chain.json<Fate[]>("fork/fate.json");
  const expected = recordedLives(messages);
  let base: LifePlayer;

  beforeAll(async () => {
    base = await LifePlayer.start(recording, await executedIndex(chain));
    const [first] = blockMessages(messages);
    await base.begin(branches.to(previousHash(first!.header)), false);
    await base.index.stop();
  });

  afterAll(() => base.close());

  const asRecorded = (burst: readonly DecodedMessage[]) => burst;
  const random = new SeededRandom();
  const ways: readonly [string, Way][] = [
    ["the node is first to switch", { first: () => "node", order: asRecorded }],
    ["the broker is first to switch", { first: () => "broker", order: asRecorded }],
    [
      "the broker reports it in any order",
      { first: () => (random.below(2) === 0 ? "node" : "broker"), order: (burst) => shuffled(burst, random) },
    ],
  ];

  test.each(ways)("where %s: everything is reported, and reverted transactions have an outcome", async (_, way) => {
    const player = await LifePlayer.start(recording, await IndexedDatabase.copy(base.index));
    try {
      await player.begin(branches.to(previousHash(blockMessages(messages)[0]!.header)));
      await play(player, way);
      const written = await player.settle();
      expect(linesOf(written)).toEqual(linesOf(expected));
      expect(await fatesOf(player)).toEqual(fates.map(({ fork, fate }) => ({ fork, fate })));
    } finally {
      await player.close();
    }
  });

  async function play(player: LifePlayer, way: Way): Promise<void> {
    const all = decoded(messages);
    for (let at = 0; at < all.length; ) {
      const one = all[at]!;
      const next = all.slice(at).findIndex(({ message }) => message.kind === "droppedBlocks");
      const fork = next >= 0 && all[at + next]!.ms - one.ms <= BURST_MS ? forkAt(all[at + next]!.ms) : undefined;
      if (fork === undefined) {
        await playOne(player, one);
        at += 1;
        continue;
      }
      const burst = all.slice(at).filter(({ ms }) => ms - all[at + next]!.ms <= BURST_MS);
      await playFork(player, fork, way, burst);
      at += burst.length;
    }
    await player.index.waitForHash(player.node.hashAt(player.node.height));
  }

  async function playOne(player: LifePlayer, one: DecodedMessage): Promise<void> {
    if (one.message.kind === "block") {
      await player.index.waitForHash(previousHash(one.message.header));
      player.node.switchTo(branches.to(one.message.hash));
    }
    await player.publish(one);
  }

  async function playFork(player: LifePlayer, fork: number, way: Way, burst: readonly DecodedMessage[]): Promise<void> {
    const { after } = forks[fork]!;
    await player.index.waitForHash(player.node.hashAt(player.node.height));
    const isNodeFirst = way.first(fork) === "node";
    if (isNodeFirst) player.node.switchTo(after);
    for (const one of way.order(burst)) await player.publish(one);
    if (!isNodeFirst) player.node.switchTo(after);
    await player.index.waitForHash(player.node.hashAt(player.node.height));
  }

  function forkAt(ms: number): number {
    const drops = decoded(messages).filter(({ message }) => message.kind === "droppedBlocks");
    return drops.findIndex((drop) => drop.ms === ms);
  }

  /** The outcome of transactions of dropped blocks, in the words of `fate.json`. */
  async function fatesOf(player: LifePlayer): Promise<Fate[]> {
    const drops = await player.db
      .selectFrom("events")
      .select("sequence")
      .where("channel", "=", "droppedBlocks")
      .orderBy("sequence")
      .execute();
    const found: Fate[] = [];
    for (const [index, { sequence }] of drops.entries()) {
      const { fork, before, commonHeight } = forks[index]!;
      const told = await writtenLives(player.db, sequence);
      const early = await writtenLives(player.db);
      const dropped = before
        .slice(commonHeight)
        .flatMap(({ block }) => decodeBlock(block, recording.network).transactions.map(({ hash }) => hash));
      const failed = await findTransactionStatuses(player.db, dropped);
      const fate: Record<string, number> = {};
      for (const hash of dropped.map((one) => one.toString("hex").toUpperCase())) {
        const status = failed.find((one) => one.hash.toString("hex").toUpperCase() === hash);
        const name = fateOf(hash, told, early, status);
        fate[name] = (fate[name] ?? 0) + 1;
      }
      found.push({ fork, fate });
    }
    return found;
  }
});

function fateOf(hash: string, told: Lives, all: Lives, status: { group: string; code: string } | undefined): string {
  const [first, second, third] = linesOf(told).get(hash) ?? [];
  if (first === "unconfirmedAdded" && second === "unconfirmedRemoved" && third === "confirmedAdded")
    return "'u' then 'a' again";
  if (first === "confirmedAdded") return "only 'a' again (in the new branch too)";
  // The reason may have been reported before the drop.
  const last = linesOf(all).get(hash)?.at(-1);
  return status?.group === "failed" && last === `status ${status.code}`
    ? `s ${status.code}`
    : `${last} ${status?.group}`;
}

/**
 * In any order, except: the drop before the blocks, these in order and each before its own transactions, and events of one
 * transaction in its order.
 */
function shuffled(burst: readonly DecodedMessage[], random: SeededRandom): DecodedMessage[] {
  const rows = new Map<string, DecodedMessage[]>();
  for (const one of burst) {
    const { message } = one;
    const isFree = isAboutTransaction(message) && message.kind !== "confirmed";
    const row = isFree ? hashOfMessage(message) : "chain";
    rows.set(row, [...(rows.get(row) ?? []), one]);
  }
  const order: DecodedMessage[] = [];
  for (let left = [...rows.values()]; left.length > 0; left = left.filter(({ length }) => length > 0)) {
    const row = left[random.below(left.length)]!;
    // Copies for several addresses are consecutive.
    do order.push(row.shift()!);
    while (row[0] && row[0].message.kind === order.at(-1)!.message.kind && row[0].message.kind !== "block");
  }
  return order;
}

function previousHash(header: Buffer): Buffer {
  return header.subarray(PREVIOUS_HASH, PREVIOUS_HASH + 32);
}
