import { expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { decodeTransaction } from "../../catapult/entity/transaction.js";
import { BROKER_TOPIC, decodeBrokerMessage } from "../../catapult/wire/zmq-message.js";
import { type DevnetTransaction, toDevnetTransaction } from "../../devnet/chain/transaction.js";
import {
  blockFrames,
  cosignatureFrames,
  dropBlocksFrames,
  type Frames,
  finalizedBlockFrames,
  partialAddedFrames,
  partialRemovedFrames,
  unconfirmedAddedFrames,
  unconfirmedRemovedFrames,
} from "../../devnet/protocol/zeromq-frames.js";
import { addressAt } from "../../ledger/config/network-config.js";
import { describeRecorded } from "../support/describe-chains.js";
import { recordedConfig } from "../support/known-networks.js";

interface RecordedFrames {
  readonly frames: readonly string[];
}

interface RecordedBlock {
  readonly block: string;
  readonly statement: string;
}

/** Messages of one block, or about one transaction and of one kind, in the order of arrival. */
interface Burst {
  readonly topic: string;
  readonly messages: Buffer[][];
}

describeRecorded("the publisher's frames", (chain) => {
  const config = recordedConfig(chain);
  const network = {
    ...chain.network,
    rentalFeeSinks: (height: number) => ({
      mosaic: addressAt(config.mosaic.rentalFeeSink, height),
      namespace: addressAt(config.namespace.rentalFeeSink, height),
    }),
  };

  test.each([
    ["zmq.jsonl.gz", "blocks.jsonl.gz"],
    ["fork/frames.jsonl.gz", "fork/blocks.jsonl.gz"],
  ])("equal those of a real broker (%s), byte for byte and for every address", (framesFile, blocksFile) => {
    const blocks = new Map(
      chain.lines<RecordedBlock>(blocksFile).map((recorded) => {
        const block = Buffer.from(recorded.block, "hex");
        const decoded = decodeBlock(block, network);
        return [hexOf(decoded.hash), { decoded, block, statement: Buffer.from(recorded.statement, "hex") }];
      }),
    );
    const known = new Map<string, DevnetTransaction>();
    const counts = new Map<string, number>();

    /** The devnet's messages; undefined if the recording has too little information. */
    const ownFrames = ({ topic, messages }: Burst): Frames[] | undefined => {
      const [first = []] = messages;
      const message = decodeBrokerMessage(first);
      switch (message.kind) {
        case "block": {
          const found = blocks.get(hexOf(message.hash));
          if (!found) return undefined;
          const { hash } = found.decoded;
          const stored = { ...found, hash, generationHash: message.generationHash };
          const transactions = found.decoded.transactions.map(toDevnetTransaction);
          for (const transaction of transactions) known.set(hexOf(transaction.hash), transaction);
          return blockFrames(stored, transactions);
        }
        case "droppedBlocks":
          return dropBlocksFrames(message.height);
        case "finalizedBlock":
          return finalizedBlockFrames(message);
        case "unconfirmed":
        case "partial": {
          const transaction = toDevnetTransaction(decodeTransaction(message.transaction, network));
          known.set(hexOf(transaction.hash), transaction);
          return message.kind === "partial" ? partialAddedFrames(transaction) : unconfirmedAddedFrames(transaction);
        }
        case "unconfirmedRemoved":
        case "partialRemoved": {
          const transaction = known.get(hexOf(message.hash));
          if (!transaction) return undefined;
          return topic === "r" ? unconfirmedRemovedFrames(transaction) : partialRemovedFrames(transaction);
        }
        case "cosignature": {
          const transaction = known.get(hexOf(message.parentHash));
          return transaction && cosignatureFrames(transaction, (first[1] ?? Buffer.alloc(0)).subarray(0, 104));
        }
        default:
          return undefined;
      }
    };

    for (const burst of bursts(chain.lines<RecordedFrames>(framesFile))) {
      const own = ownFrames(burst);
      if (!own) continue;
      expect(texts(own)).toEqual(texts(burst.messages));
      counts.set(burst.topic, (counts.get(burst.topic) ?? 0) + own.length);
    }
    const figures = [...counts].map(([topic, count]) => `${topic} ${count}`).sort();
    process.stderr.write(`ZeroMQ messages as recorded (${framesFile}): ${figures.join(", ")}\n`);
    expect([...counts.keys()].sort()).toEqual(expect.arrayContaining(["block", "c", "p", "q", "r", "u"]));
  });
});

/** Groups messages that were published together; the transactions of a block belong to it. */
function bursts(lines: readonly RecordedFrames[]): Burst[] {
  const found = new Map<string, Burst>();
  let block: Burst | undefined;
  for (const [place, { frames }] of lines.entries()) {
    const message = frames.map((frame) => Buffer.from(frame, "hex"));
    const [topic = Buffer.alloc(0), second = Buffer.alloc(0), third = second] = message;
    const letter = topic.toString("latin1", 0, 1);
    if (topic.equals(BROKER_TOPIC.block)) {
      block = { topic: "block", messages: [message] };
      found.set(`block ${place}`, block);
    } else if (topic.length === 8) {
      found.set(`other ${place}`, { topic: topic.toString("hex"), messages: [message] });
    } else if (letter === "a") {
      block?.messages.push(message);
    } else {
      const about = "upa".includes(letter) ? third : second;
      const key = `${letter} ${hexOf(about)}`;
      const burst = found.get(key) ?? { topic: letter, messages: [] };
      burst.messages.push(message);
      found.set(key, burst);
    }
  }
  return [...found.values()];
}

/** Messages as texts, each once: addresses have no fixed order, and after a fork all are repeated. */
function texts(messages: readonly Frames[]): string[] {
  return [...new Set(messages.map((frames) => frames.map(hexOf).join(" ")))].sort();
}

function hexOf(bytes: Buffer): string {
  return bytes.toString("hex");
}
