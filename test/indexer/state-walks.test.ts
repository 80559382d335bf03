import { mock } from "node:test";
import { afterEach, expect, test } from "@jest/globals";
import type { IndexerOptions } from "../../indexer/indexer.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { mapKey } from "../../ledger/trees/state-table.js";
import { checkIndex } from "../support/checked-index.js";
import { COMPARED_IF_EXECUTED, differences } from "../support/compare-databases.js";
import { DevnetFixture } from "../support/devnet.js";
import { devnetConfig } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { SeededRandom } from "../support/seeded-random.js";
import { WalkingIndex } from "../support/walking-index.js";

/** `TEST_STATE_WALKS=500` runs more. */
const WALKS = Number(process.env.TEST_STATE_WALKS ?? 4);
const DAY_MS = 86_400_000;
/** A full day of UTC, when the devnet's time begins. */
const DEVNET_EPOCH_MS = 1_573_430_400_000;
const FAILURES = /"level":50|Loading the state again/;

let node: DevnetFixture;
let index: IndexedDatabase;

async function begin(): Promise<void> {
  node = await DevnetFixture.start({ rules: { votingSetGrouping: 10 } });
  index = await IndexedDatabase.create();
}

afterEach(async () => {
  mock.restoreAll();
  await index.drop();
  await node.stop();
});

async function walk(walking: WalkingIndex): Promise<void> {
  await walking.restart();
  for (let count = 0; count < WALKS; ++count) await walking.walk();
  await index.stop();
}

/** A beginning of the network's time by which a day begins with the third block, which the walks may replace. */
async function epochOfMidnight({ devnet }: DevnetFixture): Promise<number> {
  await devnet.harvest(3);
  devnet.finalize(2);
  return DEVNET_EPOCH_MS + DAY_MS - (devnet.block(3).timestamp % DAY_MS);
}

/** The same rows as those of an index that is new, and nothing for `check` to find. */
async function expectRight(options: Partial<IndexerOptions>): Promise<void> {
  const { devnet } = node;
  const fresh = await IndexedDatabase.create();
  try {
    await fresh.follow(devnet, options);
    const { hash } = devnet.block(devnet.height);
    const final = devnet.finalized.height;
    await fresh.waitFor((head) => head.hash.equals(hash) && head.finalization.height === final);
    await fresh.stop();
    expect(await differences(fresh.url, index.url, COMPARED_IF_EXECUTED)).toEqual([]);
  } finally {
    await fresh.drop();
  }
  const { found, left } = await checkIndex({ databaseUrl: index.url, nodes: [devnet], ...options });
  expect({ found, left }).toEqual({ found: [], left: [] });
}

test("drawn walks of restarts, finalization and forks do not fail", async () => {
  await begin();
  // The clock is of no concern here: blocks are ahead of it.
  const config = { ...(await devnetConfig(node.devnet)), epochAdjustment: await epochOfMidnight(node) };
  const options: Partial<IndexerOptions> = {
    execution: { configOf: () => config, now: () => Number.MAX_SAFE_INTEGER },
  };
  const walking = new WalkingIndex(node, index, options, new SeededRandom());
  await walk(walking);
  expect(walking.log.matching(FAILURES)).toEqual([]);
  await expectRight(options);
}, 3_600_000);

test("drawn faults of the engine in such walks leave no trace", async () => {
  await begin();
  const config = await devnetConfig(node.devnet);
  const options: Partial<IndexerOptions> = { execution: { configOf: () => config } };
  const random = new SeededRandom();
  const faults = new EngineFaults(config, mapKey(node.account("carol").address));
  const walking = new WalkingIndex(node, index, options, random, () => {
    if (random.below(3) === 0) faults.arm(random.below(3));
  });
  await walk(walking);
  mock.restoreAll();
  expect(walking.log.matching(/Loading the state again/)).not.toEqual([]);
  await expectRight(options);
}, 3_600_000);

/** Faults of the engine of an indexer: not of the devnet's, which has another configuration object. */
class EngineFaults {
  #armed: number | undefined;

  /** @param account an entry of the state that no block of the test changes */
  constructor(config: ChainState["config"], account: string) {
    const { execute, rollbackTo } = ChainState.prototype;
    const takes = (state: ChainState, kind: number): boolean => {
      if (state.config !== config || this.#armed !== kind) return false;
      this.#armed = undefined;
      return true;
    };
    mock.method(ChainState.prototype, "execute", function (this: ChainState, ...block: Parameters<typeof execute>) {
      if (takes(this, 0)) this.tables.accounts.table.delete(account);
      const result = execute.apply(this, block);
      if (takes(this, 1)) throw new TypeError("a fault of the engine");
      return result;
    });
    mock.method(ChainState.prototype, "rollbackTo", function (this: ChainState, height: number) {
      if (takes(this, 2)) throw new RangeError("a fault of the journal");
      return rollbackTo.call(this, height);
    });
  }

  /** @param kind 0: an entry is lost, 1: a block fails after it was executed, 2: it is not possible to go back */
  arm(kind: number): void {
    this.#armed = kind;
  }
}
