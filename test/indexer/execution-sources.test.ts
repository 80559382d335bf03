import { afterEach, expect, test } from "@jest/globals";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { readIndexPoint } from "../../database/queries/head.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";
import { acceptedChain } from "../support/accepted-chain.js";
import type { ServedBlock } from "../support/branch-node.js";
import { differences } from "../support/compare-databases.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { describeIfMainNetwork, MAIN_NETWORK, publicConfig } from "../support/main-network.js";
import { nodeInfoOf } from "../support/node-info.js";
import { describeIfRecorded } from "../support/recorded-chain.js";
import { recordedStateOptions, StateNode } from "../support/state-node.js";
import { until } from "../support/until.js";
import { trustNobody } from "../support/untrusting-node.js";

interface PlayedChain {
  readonly network: NetworkIdentity;
  readonly nodeInfo: Buffer;
  readonly config: NetworkConfig;
  readonly blocks: readonly ServedBlock[];
}

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Indexes a chain with state read from a node, then with state computed from a node that trusts nobody. */
async function expectSameRows(chain: PlayedChain): Promise<void> {
  const { config, blocks } = chain;
  const node = await StateNode.startOf(chain, blocks);
  closers.push(() => node.close());
  const hash = node.node.hashAt(blocks.length);
  const [read, executed] = [await IndexedDatabase.create(), await IndexedDatabase.create()];
  closers.push(
    () => read.drop(),
    () => executed.drop(),
  );
  const state = recordedStateOptions(config);
  await read.follow(node.address, { state });
  await until(async () => (await readIndexPoint(read.db)).stateHeight === blocks.length, "the state is read", 150_000);
  await read.waitForState(hash);
  await read.stop();
  trustNobody(node.node);
  await executed.follow(node.address, { state, execution: { configOf: () => config } });
  const { ledgerHeight } = await executed.waitFor((head) => head.hash.equals(hash), 150_000);
  expect(ledgerHeight).toBe(blocks.length);
  expect(await differences(read.url, executed.url)).toEqual([]);
}

describeIfRecorded("a chain with odd bytes that a real node accepted, executed", (recorded) => {
  test("has the rows that reading state from a node gives, table by table", async () => {
    await expectSameRows(acceptedChain(recorded));
  }, 300_000);
});

describeIfMainNetwork("the main network's first block, executed", ({ block, statement }) => {
  test("has the rows that reading state from a node gives, table by table", async () => {
    const config = publicConfig(MAIN_NETWORK);
    const blocks = [{ block, statement }];
    await expectSameRows({ network: MAIN_NETWORK, nodeInfo: nodeInfoOf(MAIN_NETWORK), config, blocks });
  }, 300_000);
});
