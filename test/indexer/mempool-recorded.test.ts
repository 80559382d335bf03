import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import sdk from "symbol-sdk-v2";
import { WebSocket } from "ws";
import { hex } from "../../catapult/entity/hex.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { findTransactionStatuses } from "../../database/mempool/transaction-statuses.js";
import type { EventChannel } from "../../database/tables/events.js";
import { describeRecorded } from "../support/describe-chains.js";
import { blockMessages, decoded, LifePlayer } from "../support/lifecycle-player.js";
import type { RecordedChain } from "../support/recorded-chain.js";
import { confirmedFirst, type Lives, linesOf, recordedLives } from "../support/recorded-lifecycle.js";
import { recordedNode } from "../support/recorded-node.js";

/** The announcements during the recording, and their outcomes. */
interface Announced {
  readonly hash: string;
  readonly height?: number;
  readonly code?: string;
}

describeRecorded("the recorded messages of a broker, played over a real socket", (chain: RecordedChain) => {
  const recording = recordedNode(chain);
  const messages = chain.messages();
  const expected = recordedLives(messages);
  const startHeight = (blockMessages(messages)[0]?.height ?? 0) - 1;
  let player: LifePlayer;
  let written: Lives;

  beforeAll(async () => {
    player = await LifePlayer.start(recording);
    await player.begin(recording.blocks.slice(0, startHeight));
    for (const one of decoded(messages)) {
      const { message } = one;
      if (message.kind === "block") {
        await player.index.waitFor((head) => head.height >= message.height - 1);
        player.node.switchTo(recording.blocks.slice(0, message.height));
      }
      await player.publish(one);
    }
    await player.index.waitFor((head) => head.height === player.node.height);
    written = await player.settle();
  });

  afterAll(() => player.close());

  test("all recorded messages are reported, in order, and nothing else", () => {
    const late = confirmedFirst(messages);
    const brief = new Set([...late].filter((hash) => written.get(hash)?.length === 1));
    process.stderr.write(
      `lifecycles reported: ${written.size}; ${late.size} whose broker confirmed them first, ${brief.size} of these reported as confirmed only\n`,
    );
    const lifecycles = [...expected].map(([hash, told]): Lives extends Map<infer K, infer V> ? [K, V] : never => [
      hash,
      told.filter(({ channel }) => !brief.has(hash) || channel === "confirmedAdded"),
    ]);
    expect(linesOf(written)).toEqual(linesOf(new Map(lifecycles)));
  });

  test("the recipients are those of the broker, and besides only accounts behind aliases", async () => {
    const rows = await player.db.selectFrom("raw_blocks").select("statement").execute();
    const resolved = new Set(
      rows.flatMap(({ statement }) =>
        decodeStatement(statement).addressResolutions.flatMap((one) =>
          one.entries.map(({ resolved }) => hex(resolved)),
        ),
      ),
    );
    const wrong = [...written].flatMap(([hash, lifecycle]) =>
      lifecycle.flatMap(({ channel, addresses }) => {
        const by = expected.get(hash)?.find((told) => told.channel === channel)?.addresses ?? new Set();
        const missing = [...by].filter((address) => !addresses.has(address));
        const more = [...addresses].filter((address) => !by.has(address) && !resolved.has(address));
        return missing.length + more.length > 0 ? [{ hash, channel, missing, more }] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("announcements have the outcome that their announcer observed", async () => {
    const announced = chain.lines<Announced>("announced.jsonl.gz").filter(({ code }) => code !== "TIMEOUT");
    const hashes = announced.map(({ hash }) => Buffer.from(hash, "hex"));
    const statuses = await findTransactionStatuses(player.db, hashes);
    const fates = new Map(statuses.map((status) => [status.hash.toString("hex").toUpperCase(), status]));
    const wrong = announced.filter(({ hash, height, code }) => {
      const { group, height: at, code: why } = fates.get(hash) ?? {};
      return height === undefined ? group !== "failed" || why !== code : group !== "confirmed" || at !== height;
    });
    expect(wrong).toEqual([]);
    process.stderr.write(`fates of announcements: ${announced.length - wrong.length}/${announced.length}\n`);
  });

  test("at the end, only the node's pending transactions are pending", async () => {
    const last = (hash: string) => expected.get(hash)?.at(-1)?.channel;
    const open = [...expected.keys()].filter((hash) => last(hash) === "partialAdded" || last(hash) === "cosignature");
    expect(await player.waiting("partial")).toEqual(open.sort());
    expect(await player.waiting("unconfirmed")).toEqual([]);
  });

  test("symbol-sdk 2's Listener can read every message", async () => {
    const { rows } = await sql<{ channel: EventChannel; data: string }>`
      select channel, data from events
      where channel not in ('block', 'finalizedBlock', 'confirmedAdded') order by sequence`.execute(player.db);
    const repositories = new sdk.RepositoryFactoryHttp("http://127.0.0.1:1", {
      networkType: sdk.NetworkType.TEST_NET,
      websocketInjected: WebSocket,
    });
    const listener = repositories.createListener() as unknown as Reader;
    const read: Message[] = [];
    listener.messageSubject.subscribe((message) => read.push(message));
    // Some addresses of rejected transactions belong to other networks, which the Listener does not know.
    const address = chain.networkFile.accounts[0]!.address;
    const counts: Record<string, number> = {};
    for (const { channel, data } of rows) {
      counts[channel] = (counts[channel] ?? 0) + 1;
      listener.handleMessage({ topic: `${channel}/${address}`, data: JSON.parse(data) }, () => undefined);
      expect(layoutOf(read.at(-1)!, JSON.parse(data))).toEqual(JSON.parse(data));
    }
    expect(Object.keys(counts).sort()).toEqual([
      "cosignature",
      "partialAdded",
      "partialRemoved",
      "status",
      "unconfirmedAdded",
      "unconfirmedRemoved",
    ]);
    process.stderr.write(`messages read: ${rows.length}\n`);
  });
});

/** The Listener's output. */
interface Message {
  readonly channelName: string;
  readonly message: unknown;
}

interface Reader {
  readonly messageSubject: { subscribe(take: (message: Message) => void): void };
  handleMessage(message: object, resolve: () => void): void;
}

interface ReadTransaction {
  readonly transactionInfo: { readonly hash: string; readonly merkleComponentHash: string };
  readonly signer: { readonly publicKey: string };
  readonly signature: string;
  readonly innerTransactions?: readonly unknown[];
  readonly cosignatures?: readonly unknown[];
}

interface AddedData {
  readonly transaction: {
    readonly signerPublicKey: string;
    readonly signature: string;
    readonly transactions?: readonly unknown[];
    readonly cosignatures?: readonly unknown[];
  };
  readonly meta: { readonly hash: string; readonly merkleComponentHash: string; readonly height: string };
}

/** The data of a message as the reference gateway sends it, with the values that the Listener reads from it. */
function layoutOf({ channelName, message }: Message, data: object): object {
  if (channelName === "unconfirmedRemoved" || channelName === "partialRemoved") return { meta: { hash: message } };
  if (channelName === "status") {
    const { hash, code, deadline } = message as { hash: string; code: string; deadline: { adjustedValue: number } };
    return { hash, code, deadline: String(deadline.adjustedValue) };
  }
  if (channelName === "cosignature") {
    const { parentHash, signature, signerPublicKey } = message as Record<string, string>;
    return { version: "0", signerPublicKey, signature, parentHash };
  }
  const { transactionInfo, signer, signature, innerTransactions, cosignatures } = message as ReadTransaction;
  const { transaction } = data as AddedData;
  expect(innerTransactions?.length).toBe(transaction.transactions?.length);
  expect(cosignatures?.length).toBe(transaction.cosignatures?.length);
  const { hash, merkleComponentHash } = transactionInfo;
  return {
    transaction: { ...transaction, signerPublicKey: signer.publicKey, signature },
    meta: { hash, merkleComponentHash, height: "0" },
  };
}
