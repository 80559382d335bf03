import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { findTransactionStatuses } from "../../schema/db/transaction-statuses.js";
import { blockMessages, decoded, LifePlayer } from "../support/life-player.js";
import { describeIfRecorded, type RecordedChain } from "../support/recorded-chain.js";
import { confirmedFirst, type Lives, linesOf, recordedLives } from "../support/recorded-life.js";
import { recordedNode } from "../support/recorded-node.js";

/** What was announced while the messages were recorded, and what became of it. */
interface Announced {
  readonly hash: string;
  readonly height?: number;
  readonly code?: string;
}

describeIfRecorded("the recorded messages of a broker, played over a real socket", (chain: RecordedChain) => {
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
    written = await player.settle(expected);
  }, 90_000);

  afterAll(() => player.close());

  test("everything is told that was told, in order, and nothing else", () => {
    const late = confirmedFirst(messages);
    const brief = new Set([...late].filter((hash) => written.get(hash)?.length === 1));
    process.stderr.write(
      `lives told: ${written.size}; ${late.size} whose broker confirmed them first, ${brief.size} of these told as confirmed only\n`,
    );
    const lives = [...expected].map(([hash, told]): Lives extends Map<infer K, infer V> ? [K, V] : never => [
      hash,
      told.filter(({ channel }) => !brief.has(hash) || channel === "confirmedAdded"),
    ]);
    expect(linesOf(written)).toEqual(linesOf(new Map(lives)));
  });

  test("everybody is told whom the broker told, and besides only accounts behind aliases", async () => {
    const rows = await player.db.selectFrom("address_resolution_statements").select("document").execute();
    const resolved = new Set(
      rows.flatMap(({ document }) => {
        const { statement } = JSON.parse(document) as { statement: { resolutionEntries: { resolved: string }[] } };
        return statement.resolutionEntries.map((entry) => entry.resolved);
      }),
    );
    const wrong = [...written].flatMap(([hash, life]) =>
      life.flatMap(({ channel, addresses }) => {
        const by = expected.get(hash)?.find((told) => told.channel === channel)?.addresses ?? new Set();
        const missing = [...by].filter((address) => !addresses.has(address));
        const more = [...addresses].filter((address) => !by.has(address) && !resolved.has(address));
        return missing.length + more.length > 0 ? [{ hash, channel, missing, more }] : [];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("what was announced has the fate that its announcer saw", async () => {
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

  test("nothing waits in the end but what waits at the node", async () => {
    const last = (hash: string) => expected.get(hash)?.at(-1)?.channel;
    const open = [...expected.keys()].filter((hash) => last(hash) === "partialAdded" || last(hash) === "cosignature");
    expect(await player.waiting("partial")).toEqual(open.sort());
    expect(await player.waiting("unconfirmed")).toEqual([]);
  });
});
