import { afterEach, expect, test } from "@jest/globals";
import { TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import { findTransactionStatuses } from "../../database/mempool/transaction-statuses.js";
import type { ServedBlock } from "../support/branch-node.js";
import { describeRecorded } from "../support/describe-chains.js";
import { blockMessages, decoded, LifePlayer } from "../support/lifecycle-player.js";
import type { RecordedChain, RecordedMessage } from "../support/recorded-chain.js";
import { executedIndex } from "../support/recorded-index.js";
import { type Lives, linesOf } from "../support/recorded-lifecycle.js";
import { RecordedBranches, recordedForks, recordedNode } from "../support/recorded-node.js";
import { until } from "../support/until.js";

/** A moment of a recording: the node has another chain, or its pool returns another answer. */
type Moment =
  | { readonly ms: number; readonly chain: readonly ServedBlock[] }
  | { readonly ms: number; readonly unconfirmed: readonly Buffer[] }
  | { readonly ms: number; readonly partial: Buffer };

interface RecordedPull {
  readonly ms: number;
  readonly packet: string;
  readonly response: string;
}

/** The forks, and the outcome of the transactions that they dropped. */
const PLAYED_MS = 500_000;

describeRecorded("the recorded answers of a node's pool, without a broker", (chain: RecordedChain) => {
  const recording = recordedNode(chain);
  const { network } = recording;
  const hashOf = (bytes: Buffer) => transactionHash(bytes, network).toString("hex").toUpperCase();
  let player: LifePlayer;

  afterEach(() => player.close());

  test("everything observed is reported once, in order, with the outcome that its announcer observed", async () => {
    const messages = chain.messages();
    const startHeight = (blockMessages(messages)[0]?.height ?? 0) - 1;
    const blocks = decoded(messages).flatMap(({ ms, message }): Moment[] =>
      message.kind === "block" ? [{ ms, chain: recording.blocks.slice(0, message.height) }] : [],
    );
    const pulls = pullsOf(chain.lines<RecordedPull>("pulls.jsonl.gz"));
    player = await LifePlayer.start(recording);
    await player.begin(recording.blocks.slice(0, startHeight), false);
    await play([...blocks, ...pulls]);

    const seen = seenIn(pulls);
    const written = await player.written();
    expect(linesOf(written)).toEqual(livesOf(written, seen));
    const announced = chain
      .lines<{ hash: string; height?: number }>("announced.jsonl.gz")
      .filter(({ height }) => height !== undefined);
    const statuses = await statusesOf(announced.map(({ hash }) => hash));
    expect(announced.filter(({ hash, height }) => statuses.get(hash)?.height !== height)).toEqual([]);
  });

  test("three forks: dropped transactions are reported again, and end confirmed or forgotten by the node", async () => {
    const branches = new RecordedBranches(chain);
    const forks = recordedForks(chain);
    const messages: RecordedMessage[] = chain
      .lines<{ ms: number; frames: string[] }>("fork/frames.jsonl.gz")
      .filter(({ ms }) => ms < PLAYED_MS)
      .map(({ ms, frames }) => ({ ms, frames: frames.map((frame) => Buffer.from(frame, "hex")) }));
    let drops = 0;
    const blocks = decoded(messages).flatMap(({ ms, message }): Moment[] => {
      if (message.kind === "block") return [{ ms, chain: branches.to(message.hash) }];
      if (message.kind !== "droppedBlocks") return [];
      drops += 1;
      return [{ ms, chain: forks[drops - 1]!.after }];
    });
    const pulls = pullsOf(chain.lines<RecordedPull>("fork/pulls.jsonl.gz").filter(({ ms }) => ms < PLAYED_MS));
    const [first] = blocks;
    player = await LifePlayer.start(recording, await executedIndex(chain));
    await player.begin((first as { chain: readonly ServedBlock[] }).chain.slice(0, -1), false);
    await play([...blocks, ...pulls]);

    const written = await player.written();
    expect([...linesOf(written)].filter(([, lifecycle]) => !isInOrder(lifecycle))).toEqual([]);
    const told = [...linesOf(written)].filter(
      ([, lifecycle]) => lifecycle.filter((line) => line === "unconfirmedAdded").length > 1,
    );
    expect(told.length).toBeGreaterThan(50);
    const statuses = await statusesOf([...written.keys()]);
    const isConfirmed = (hash: string) => statuses.get(hash)?.group === "confirmed";
    expect([...written.keys()].filter(isConfirmed).sort()).toEqual(inBlocks([...written.keys()]).sort());
  });

  /** Shows the node's answers of each moment until the indexer has seen them. */
  async function play(moments: readonly Moment[]): Promise<void> {
    const { node, index } = player;
    for (const moment of moments.toSorted((a, b) => a.ms - b.ms)) {
      if ("chain" in moment) {
        if (moment.chain.length < node.height || isSame(moment.chain)) continue;
        node.switchTo(moment.chain);
        await index.waitForHash(node.hashAt(node.height));
      } else {
        if ("unconfirmed" in moment) node.showUnconfirmed(moment.unconfirmed);
        else node.showPartial(moment.partial);
        // Two complete polls, each of one or two requests.
        const looks = node.looksIntoPool;
        await until(() => node.looksIntoPool > looks + 5, "the indexer has looked into the pool");
      }
    }
    await until(async () => (await player.waiting("unconfirmed")).length === 0, "nothing is pending any more");
  }

  function isSame(blocks: readonly ServedBlock[]): boolean {
    const { node } = player;
    return blocks.length === node.height && node.decode(blocks.at(-1)!.block).hash.equals(node.hashAt(node.height));
  }

  function pullsOf(lines: readonly RecordedPull[]): Moment[] {
    return lines.map(({ ms, packet, response }) => {
      const bytes = Buffer.from(response, "hex");
      return packet === "Pull_Transactions" ? { ms, unconfirmed: split(bytes) } : { ms, partial: bytes };
    });
  }

  function seenIn(moments: readonly Moment[]): Set<string> {
    return new Set(moments.flatMap((moment) => ("unconfirmed" in moment ? moment.unconfirmed.map(hashOf) : [])));
  }

  /** The required events of each transaction: if it was observed from the beginning all, otherwise its block only. */
  function livesOf(written: Lives, seen: ReadonlySet<string>): Map<string, string[]> {
    return new Map(
      [...written.keys()].map((hash) => [
        hash,
        [...(seen.has(hash) ? ["unconfirmedAdded", "unconfirmedRemoved"] : []), "confirmedAdded"],
      ]),
    );
  }

  async function statusesOf(hashes: readonly string[]) {
    const statuses = await findTransactionStatuses(
      player.db,
      hashes.map((hash) => Buffer.from(hash, "hex")),
    );
    return new Map(statuses.map((status) => [status.hash.toString("hex").toUpperCase(), status]));
  }

  /** Those of the hashes that are in a block of the node's chain. */
  function inBlocks(hashes: readonly string[]): string[] {
    const asked = new Set(hashes);
    const { node } = player;
    return Array.from({ length: node.height }, (_, index) => node.blockAt(index + 1))
      .flatMap(({ transactions }) => transactions.map(({ hash }) => hash.toString("hex").toUpperCase()))
      .filter((hash) => asked.has(hash));
  }
});

/** Whether every addition has its removal before the next one, and every removal its addition; partial ones may stay. */
function isInOrder(lifecycle: readonly string[]): boolean {
  const waiting = new Set<string>();
  for (const line of lifecycle) {
    const [, group, change] = /^(unconfirmed|partial)(Added|Removed)$/.exec(line) ?? [];
    if (!group) continue;
    if (waiting.has(group) === (change === "Added")) return false;
    if (change === "Added") waiting.add(group);
    else waiting.delete(group);
  }
  return !waiting.has("unconfirmed");
}

function split(bytes: Buffer): Buffer[] {
  const transactions: Buffer[] = [];
  for (let offset = 0; offset + TRANSACTION.headerSize <= bytes.length; ) {
    const size = bytes.readUInt32LE(offset + VERIFIABLE.size);
    transactions.push(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return transactions;
}
