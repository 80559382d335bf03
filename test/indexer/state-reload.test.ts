import { mock } from "node:test";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import type { Devnet } from "../../devnet/devnet.js";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { mapKey } from "../../ledger/trees/state-table.js";
import { differences } from "../support/compare-databases.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { devnetConfig } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";

const RELOADED = /Loading the state again after a failure/;
const STANDBY = /Another indexer writes to this database; waiting to take over/;
const LEFT = /Leaving the writer lock to a standby/;

let node: DevnetFixture;
let config: NetworkConfig;
const indexes: IndexedDatabase[] = [];

beforeAll(async () => {
  node = await DevnetFixture.start({ rules: { votingSetGrouping: 10 } });
  config = await devnetConfig(node.devnet);
  await harvest(node.devnet, 3);
});

afterEach(async () => {
  mock.restoreAll();
  for (const index of indexes.splice(0).reverse()) await index.drop();
});

afterAll(() => node.stop());

async function createIndex(): Promise<IndexedDatabase> {
  const index = await IndexedDatabase.create();
  indexes.push(index);
  return index;
}

/** Blocks with one transfer each. @returns the hash of the last one */
async function harvest(devnet: Devnet, blocks: number): Promise<Buffer> {
  for (let block = 0; block < blocks; ++block) {
    devnet.announce(signedPayload(devnet, node.account("alice"), { amount: 1n }));
    await devnet.harvest(1);
  }
  return devnet.block(devnet.height).hash;
}

/** The same rules, except that some blocks cannot be executed: `isBroken` is asked during the execution of each. */
function brokenConfig(isBroken: () => boolean): NetworkConfig {
  return new Proxy(config, {
    get: (target, name, receiver) => {
      if (name === "harvestBeneficiaryPercentage" && isBroken()) throw new TypeError("a fault of the engine");
      return Reflect.get(target, name, receiver);
    },
  });
}

async function expectRowsOfNewIndex(index: IndexedDatabase): Promise<void> {
  const { hash } = await index.waitFor(() => true);
  await index.stop();
  const fresh = await createIndex();
  await fresh.follow(node.devnet, { execution: { configOf: () => config } });
  await fresh.waitFor((head) => head.hash.equals(hash));
  expect(await differences(fresh.url, index.url)).toEqual([]);
}

test("a fault of the engine is cured by loading the state again", async () => {
  let faults = 0;
  const log = new LogLines();
  const metrics = new IndexerMetrics("test");
  const index = await createIndex();
  const broken = brokenConfig(() => faults-- > 0);
  await index.follow(node.devnet, { execution: { configOf: () => broken }, log: log.logger, metrics });
  await index.waitForHash(node.devnet.block(node.devnet.height).hash);
  faults = 1;
  await index.waitForHash(await harvest(node.devnet, 2));
  expect(faults).toBeLessThan(1);
  expect(log.matching(RELOADED)).toHaveLength(1);
  expect(log.matching(/"msg":"Loaded the state"/)).toHaveLength(1);
  expect((await metrics.print()).text).toContain("symbol_indexer_state_reloads_total 1");
  await expectRowsOfNewIndex(index);
});

test("a state that went wrong in memory is loaded again, and no node is blamed for it", async () => {
  const { execute } = ChainState.prototype;
  const carol = mapKey(node.account("carol").address);
  const log = new LogLines();
  const metrics = new IndexerMetrics("test");
  const index = await createIndex();
  await index.follow(node.devnet, { execution: { configOf: () => config }, log: log.logger, metrics });
  await index.waitForHash(node.devnet.block(node.devnet.height).hash);
  let isArmed = true;
  mock.method(ChainState.prototype, "execute", function (this: ChainState, block: Parameters<typeof execute>[0]) {
    if (isArmed && isIndexers(this)) {
      isArmed = false;
      this.tables.accounts.table.delete(carol);
    }
    return execute.call(this, block);
  });
  await index.waitForHash(await harvest(node.devnet, 2));
  expect(isArmed).toBe(false);
  expect(log.matching(RELOADED)).toHaveLength(1);
  expect(log.matching(/stateHash/).length).toBeGreaterThan(0);
  const { text } = await metrics.print();
  expect(text).toContain("symbol_indexer_state_reloads_total 1");
  expect(text).toContain('symbol_indexer_rejected_data_total{reason="state"} 0');
  mock.restoreAll();
  await expectRowsOfNewIndex(index);
});

/** The devnet has a state too: that of the indexer has the configuration that this file has read. */
function isIndexers(state: ChainState): boolean {
  return state.config === config;
}

test("a writer that cannot continue leaves its lock to a standby, and becomes one", async () => {
  let isBroken = false;
  const broken = brokenConfig(() => isBroken);
  const [firstLog, secondLog] = [new LogLines(), new LogLines()];
  const index = await createIndex();
  const standby = IndexedDatabase.at(index.url);
  indexes.push(standby);
  const { devnet } = node;
  const options = { limits: { stuckAfterMs: 500 } };
  await index.follow(devnet, { ...options, execution: { configOf: () => broken }, log: firstLog.logger });
  await index.waitForHash(devnet.block(devnet.height).hash);
  await standby.follow(devnet, { ...options, execution: { configOf: () => config }, log: secondLog.logger });
  await secondLog.waitFor(STANDBY);
  isBroken = true;
  await index.waitForHash(await harvest(devnet, 2));
  expect(firstLog.matching(LEFT)).toHaveLength(1);
  await firstLog.waitFor(STANDBY);
  isBroken = false;
  await standby.stop();
  await index.waitForHash(await harvest(devnet, 2));
  expect(secondLog.matching(LEFT)).toEqual([]);
  await expectRowsOfNewIndex(index);
});

test("a writer without a standby takes its lock again", async () => {
  let isBroken = true;
  const log = new LogLines();
  const index = await createIndex();
  const broken = brokenConfig(() => isBroken);
  await index.follow(node.devnet, {
    limits: { stuckAfterMs: 300 },
    execution: { configOf: () => broken },
    log: log.logger,
  });
  await log.waitFor(LEFT);
  isBroken = false;
  await index.waitForHash(node.devnet.block(node.devnet.height).hash);
  expect(log.matching(STANDBY)).toEqual([]);
});
