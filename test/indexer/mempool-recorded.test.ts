import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { hex } from "../../catapult/entity/hex.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { findTransactionStatuses } from "../../database/mempool/transaction-statuses.js";
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
  });

  test("at the end, only the node's pending transactions are pending", async () => {
    const last = (hash: string) => expected.get(hash)?.at(-1)?.channel;
    const open = [...expected.keys()].filter((hash) => last(hash) === "partialAdded" || last(hash) === "cosignature");
    expect(await player.waiting("partial")).toEqual(open.sort());
    expect(await player.waiting("unconfirmed")).toEqual([]);
  });
});
