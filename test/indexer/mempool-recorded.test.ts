import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statusCodeName } from "../../catapult/status-code.js";
import { decodeBrokerMessage } from "../../catapult/zmq-message.js";
import { findTransactionStatuses } from "../../schema/db/transaction-statuses.js";
import { BranchNode } from "../support/branch-node.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { describeIfRecorded, type RecordedChain } from "../support/recorded-chain.js";
import { confirmedFirst, type Lives, PoolModel, recordedLives, writtenLives } from "../support/recorded-life.js";
import { recordedNode } from "../support/recorded-node.js";
import { TestBroker } from "../support/test-broker.js";
import { until } from "../support/until.js";

/** What was announced while the messages were recorded, and what became of it. */
interface Announced {
  readonly hash: string;
  readonly name: string;
  readonly height?: number;
  readonly code?: string;
}

describeIfRecorded("the recorded messages of a broker, played over a real socket", (chain: RecordedChain) => {
  const recording = recordedNode(chain);
  const messages = chain.messages();
  const expected = recordedLives(messages);
  const [firstHeight = 0] = messages
    .map(({ frames }) => decodeBrokerMessage(frames))
    .flatMap((message) => (message.kind === "block" ? [message.height] : []));
  const startHeight = firstHeight - 1;
  let node: BranchNode;
  let index: IndexedDatabase;
  let broker: TestBroker;
  let written: Lives;

  beforeAll(async () => {
    node = await BranchNode.start({ ...recording, credentials: serverCredentials, log: silentLog });
    node.switchTo(recording.blocks.slice(0, startHeight));
    broker = await TestBroker.bind();
    index = await IndexedDatabase.create();
    await index.follow(node.address, { zmqUrl: broker.url });
    const { eventSequence } = await index.waitFor((head) => head.height === startHeight, 60_000);
    await until(() => broker.subscribers === 1, "the indexer listens to the broker");
    await play();
    await index.waitFor((head) => head.height === node.height);
    await broker.publish(...messages.slice(-1).map(({ frames }) => frames));
    written = await writtenLives(index.db, eventSequence);
  }, 90_000);

  afterAll(async () => {
    await index.drop();
    broker.close();
    await node.close();
  });

  async function play(): Promise<void> {
    const pool = new PoolModel();
    for (const { frames } of messages) {
      const message = decodeBrokerMessage(frames);
      pool.take(message);
      pool.showOn(node);
      if (message.kind === "block") {
        await index.waitFor((head) => head.height >= message.height - 1);
        node.switchTo(recording.blocks.slice(0, message.height));
      }
      await broker.publish(frames);
    }
  }

  test("everything is told that was told, in order, and nothing else", () => {
    const late = confirmedFirst(messages);
    const briefly = [...late].filter((hash) => written.get(hash)?.length === 1);
    process.stderr.write(
      `lives told: ${written.size}; ${late.size} whose broker confirmed them first, ${briefly.length} of these told as confirmed only\n`,
    );
    const brief = new Set(briefly);
    const isTold = (hash: string, channel: string) => !brief.has(hash) || channel === "confirmedAdded";
    const lives = [...expected].map(([hash, life]): [string, string[]] => [
      hash,
      life
        .filter(({ channel }) => isTold(hash, channel))
        .map(({ channel, detail }) => `${channel} ${channel === "status" ? statusCodeName(Number(detail)) : detail}`),
    ]);
    const told = [...written].map(([hash, life]): [string, string[]] => [
      hash,
      life.map(({ channel, detail }) => `${channel} ${detail}`),
    ]);
    expect(new Map(told)).toEqual(new Map(lives));
  });

  test("everybody is told whom the broker told, and besides only accounts behind aliases", async () => {
    const rows = await index.db.selectFrom("address_resolution_statements").select("document").execute();
    const resolved = new Set(
      rows.flatMap(({ document }) => {
        const { statement } = JSON.parse(document) as { statement: { resolutionEntries: { resolved: string }[] } };
        return statement.resolutionEntries.map((entry) => entry.resolved);
      }),
    );
    for (const [hash, life] of written) {
      for (const { channel, addresses } of life) {
        const by = expected.get(hash)?.find((told) => told.channel === channel)?.addresses ?? new Set();
        expect([...by].filter((address) => !addresses.has(address))).toEqual([]);
        const more = [...addresses].filter((address) => !by.has(address));
        expect({ hash, channel, more: more.filter((address) => !resolved.has(address)) }).toEqual({
          hash,
          channel,
          more: [],
        });
      }
    }
  });

  test("what was announced has the fate that its announcer saw", async () => {
    const announced = chain.lines<Announced>("announced.jsonl.gz").filter(({ code }) => code !== "TIMEOUT");
    const statuses = await findTransactionStatuses(
      index.db,
      announced.map(({ hash }) => Buffer.from(hash, "hex")),
    );
    const fates = new Map(statuses.map((status) => [status.hash.toString("hex").toUpperCase(), status]));
    const wrong = announced.filter(({ hash, height, code }) => {
      const { group, height: at, code: why } = fates.get(hash) ?? {};
      return height === undefined ? group !== "failed" || why !== code : group !== "confirmed" || at !== height;
    });
    expect(wrong).toEqual([]);
    process.stderr.write(`fates: ${announced.length}\n`);
  });

  test("nothing waits in the end but what waits at the node", async () => {
    const waiting = async (group: "unconfirmed" | "partial") =>
      (await index.db.selectFrom(`${group}_transactions`).select("hash").where("hash", "is not", null).execute()).map(
        ({ hash }) => hash?.toString("hex").toUpperCase(),
      );
    const last = (hash: string) => expected.get(hash)?.at(-1)?.channel;
    const open = [...expected.keys()].filter((hash) => last(hash) === "partialAdded" || last(hash) === "cosignature");
    expect((await waiting("partial")).sort()).toEqual(open.sort());
    expect(await waiting("unconfirmed")).toEqual([]);
  });
});
