import { mock } from "node:test";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { ScoreWatch } from "../../indexer/chain/follow/score-watch.js";
import { ClaimedScoreError } from "../../indexer/chain/step/errors.js";
import { DEFAULT_LIMITS } from "../../indexer/limits/indexer-limits.js";
import { FollowedNodes } from "../../indexer/nodes/followed-nodes.js";
import { BranchNode, type ServedBlock } from "../support/branch-node.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { devnetBlocks, devnetExecution } from "../support/devnet-execution.js";
import { indexContext } from "../support/index-context.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { until } from "../support/until.js";

const HEIGHT = 12;
const COUNT = 6;
const NEVER = new Promise<undefined>(() => undefined);

let honest: DevnetFixture;
let blocks: ServedBlock[];
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  honest = await DevnetFixture.start({ seed: "hostile nodes" });
  const { devnet } = honest;
  while (devnet.height < HEIGHT) {
    devnet.announce(signedPayload(devnet, honest.account("alice"), { amount: BigInt(devnet.height) }));
    await devnet.harvest(1);
  }
  blocks = await devnetBlocks(honest);
});

afterEach(() => mock.restoreAll());

afterAll(async () => {
  for (const close of closers.reverse()) await close();
  await honest.stop();
});

/** A node that is behind, and whose claims and blocks are as its caller wants from `lies` on. */
async function startLiar(pullBlocks: () => Promise<undefined> | Buffer, state: { lies: boolean }): Promise<BranchNode> {
  const node = await BranchNode.start({ network: honest.devnet.network, blocks: blocks.slice(0, HEIGHT - 4) });
  closers.push(() => node.close());
  const statistics = node.handlers.get(PacketType.chainStatistics)!;
  node.handlers.set(PacketType.chainStatistics, async (...request) => {
    const answer = Buffer.from((await statistics(...request)) as Buffer);
    if (!state.lies) return answer;
    answer.writeBigUInt64LE(answer.readBigUInt64LE(0) + 100n, 0);
    answer.writeBigUInt64LE(1n << 40n, 16);
    return answer;
  });
  const hashes = node.handlers.get(PacketType.blockHashes)!;
  // They have the head, so that blocks are requested.
  node.handlers.set(PacketType.blockHashes, (payload, ...more) => {
    const first = Number(payload.readBigUInt64LE(0));
    return state.lies ? honest.devnet.block(Math.min(first, honest.devnet.height)).hash : hashes(payload, ...more);
  });
  const pull = node.handlers.get(PacketType.pullBlocks)!;
  node.handlers.set(PacketType.pullBlocks, (...request) => (state.lies ? pullBlocks() : pull(...request)));
  return node;
}

test("after each of several hostile nodes, the last good one is followed, and not the next of the list, if it can be", async () => {
  const { devnet } = honest;
  const state = { lies: false };
  const liars = await Promise.all(
    Array.from({ length: COUNT }, (_, n) => startLiar(n % 2 === 0 ? () => NEVER : () => Buffer.alloc(0), state)),
  );
  const index = await IndexedDatabase.create();
  closers.push(() => index.drop());
  const log = new LogLines();
  await index.follow(devnet, {
    execution: await devnetExecution(devnet),
    nodes: [...liars.map(({ address }) => address), devnet],
    limits: { compareMs: 300, dropMs: 600_000, requestTimeoutMs: 2_000 },
    log: log.logger,
  });
  await index.waitForHash(devnet.block(HEIGHT).hash);
  state.lies = true;
  const before = log.matching(/Connected to a node/).length;
  const ports = () =>
    log
      .matching(/"msg":"Connected to a node"/)
      .slice(before)
      .map((line) => Number((JSON.parse(line) as { node: string }).node.split(":")[1]));
  await until(
    () => new Set(ports()).size > COUNT,
    () => `all hostile nodes were followed: ${ports()}`,
    undefined,
    () => ports().length,
  );
  await devnet.harvest(1);
  await index.waitForHash(devnet.block(HEIGHT + 1).hash);
  await index.stop();
  // A node that is connected to once more is logged again.
  const seen = ports().filter((port, n, all) => port !== all[n - 1]);
  const twice = seen.filter(
    (port, n) => port !== devnet.port && seen[n + 1] !== undefined && seen[n + 1] !== devnet.port,
  );
  // For a moment, the good node may have no connection free: then another one is tried.
  expect({ seen, isRare: twice.length < seen.length / 2 }).toEqual({ seen, isRare: true });
});

test("what was verified and written is progress: a node is not left meanwhile", () => {
  let now = 0;
  mock.method(performance, "now", () => now);
  const endpoints = [1, 2].map((port) => ({ host: "127.0.0.1", port }));
  const limits = { ...DEFAULT_LIMITS, compareMs: 1_000 };
  const nodes = new FollowedNodes({ nodes: endpoints, credentials: clientCredentials, log: silentLog, limits });
  const { network } = honest.devnet;
  const watch = new ScoreWatch({ ...indexContext({} as never, network), limits }, nodes);
  const round = () => watch.afterRound(100n, 200n, false);
  round();
  for (let height = 1; height <= 5; ++height) {
    now += 900;
    watch.verified(height);
    round();
  }
  now += 900;
  watch.wrote();
  round();
  now += 900;
  // Blocks that were verified before are none.
  for (let height = 1; height <= 5; ++height) watch.verified(height);
  round();
  now += 900;
  for (let height = 1; height <= 5; ++height) watch.verified(height);
  now += 200;
  expect(round).toThrow(ClaimedScoreError);
});
