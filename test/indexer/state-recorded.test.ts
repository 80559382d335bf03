import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { Collection } from "../../database/lists/collections.js";
import { findBlockRow } from "../../database/queries/blocks.js";
import { fetchBlocks } from "../../indexer/follow/fetch.js";
import { writeStep } from "../../indexer/follow/write.js";
import { agreeOnNetwork } from "../../indexer/step/network.js";
import { RangeLimit } from "../../indexer/step/range-limit.js";
import { BEFORE_NEMESIS } from "../../indexer/step/step.js";
import { differences, readTables } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { describeRecorded } from "../support/recorded-chain.js";
import { indexWithState } from "../support/recorded-index.js";
import { recordedForks, recordedNode } from "../support/recorded-node.js";
import { SeededRandom } from "../support/seeded-random.js";
import { brokenColumns, COUNTED_COLLECTIONS, storedValues, wrongCounters } from "../support/state-database.js";
import { recordedConfig, recordedStateOptions, StateNode, stateName } from "../support/state-node.js";
import { readStateStatus } from "../support/state-status.js";

interface RecordedState {
  readonly kind: Parameters<typeof stateName>[0];
  readonly key: string;
  readonly value: string;
}

const FINALIZED = { epoch: 16, point: 14, height: 592 };
/** The finalized block when the last one was recorded: what ended above it was not deleted before the recording. */
const FINALIZED_BEFORE = { epoch: 16, point: 13, height: 588 };
/** How far finalization is behind the head while following, and how often it moves. */
const FINALIZED_BEHIND = 12;
const FINALIZED_EVERY = 20;
/** `TEST_BLOCKS_AT_ONCE=12` compares more often. */
const MOST_BLOCKS_AT_ONCE = Number(process.env.TEST_BLOCKS_AT_ONCE ?? 24);

describeRecorded("the state of the recorded chain", (chain) => {
  const { blocks } = recordedNode(chain);
  const state = recordedStateOptions(recordedConfig(chain));
  const recorded = chain.lines<RecordedState>("states.jsonl.gz");
  let node: StateNode;
  let index: IndexedDatabase;

  beforeEach(async () => {
    index = await IndexedDatabase.create();
  });

  afterEach(async () => {
    await index.drop();
    await node.close();
  });

  const tip = () => node.node.hashAt(node.node.height);

  /** Compares every recorded entry with the database, by its requested key: a child namespace by its own. */
  async function expectRecorded(how: string): Promise<void> {
    const stored = await storedValues(index.db);
    const children = await index.db.selectFrom("namespaces").select(["namespace_id", "level0"]).execute();
    const roots = new Map(children.map((row) => [hex(reversed(row.namespace_id)), reversed(row.level0)]));
    const wrong = recorded.filter(({ kind, key, value }) => {
      const own = kind === "namespace" ? roots.get(key) : Buffer.from(key, "hex");
      return !own || stored.get(stateName(kind, own)) !== value;
    });
    process.stderr.write(`state entries as recorded, ${how}: ${recorded.length - wrong.length}/${recorded.length}\n`);
    expect(wrong.map(({ kind, key }) => `${kind} ${key}`)).toEqual([]);
    const names = recorded.map(({ kind, key }) => stateName(kind, roots.get(key) ?? Buffer.from(key, "hex")));
    expect([...stored.keys()].toSorted()).toEqual([...new Set(names)].toSorted());
  }

  async function expectConsistent(): Promise<void> {
    expect(await storedValues(index.db)).toEqual(node.values());
    expect(await brokenColumns(index.db)).toEqual([]);
    expect((await wrongCounters(index.db)).wrong).toEqual([]);
  }

  test("is read once after catching up in big steps, without the network's configuration once its fees were paid", async () => {
    node = await StateNode.start(chain, blocks.slice(0, -30));
    await index.follow(node.address);
    await index.waitForState(tip());
    expect(await storedValues(index.db)).toEqual(node.values());
    node.finalize(FINALIZED_BEFORE);
    node.switchTo(blocks);
    node.finalize(FINALIZED);
    await index.waitForState(tip());
    await index.waitFor((head) => head.finalization.height === FINALIZED.height);
    await expectRecorded("after catching up");
    await expectConsistent();
    const collections = Object.values(Collection).filter((collection) => collection >= 50);
    expect(COUNTED_COLLECTIONS).toEqual(collections);
    expect((await wrongCounters(index.db)).empty).toEqual([]);
  });

  test("equals the node's while following, some blocks at a time, as finalization moves and locks and namespaces are deleted", async () => {
    node = await StateNode.start(chain, blocks.slice(0, 1));
    await index.follow(node.address, { state, pollMs: 1 });
    const random = new SeededRandom();
    let finalized = 1;
    for (let height = 1; height < blocks.length; ) {
      height = Math.min(blocks.length, height + 1 + random.below(MOST_BLOCKS_AT_ONCE));
      if (height === blocks.length) node.finalize(FINALIZED_BEFORE);
      else if (height - finalized > FINALIZED_BEHIND + FINALIZED_EVERY) {
        finalized = height - FINALIZED_BEHIND;
        node.finalize({ epoch: 1, point: finalized, height: finalized });
      }
      node.switchTo(blocks.slice(0, height));
      await index.waitForState(tip());
      const different = differentKeys(await storedValues(index.db), node.values());
      expect({ height, different }).toEqual({ height, different: [] });
    }
    node.finalize(FINALIZED);
    await index.waitFor((head) => head.finalization.height === FINALIZED.height);
    await index.waitForState(tip());
    await expectRecorded("block by block");
    await expectConsistent();
  }, 120_000);

  test("is filled in if the blocks were written before there was state", async () => {
    node = await StateNode.start(chain, blocks.slice(0, 300));
    const client = new NodeClient({ nodes: [node.address], credentials: clientCredentials, log: silentLog });
    let previous = BEFORE_NEMESIS;
    const network = await agreeOnNetwork(index.db, client);
    const range = new RangeLimit({ maxBlocks: 42, maxBytes: 1e7 });
    while (previous.height < node.node.height) {
      const parent = { ...previous, timestamp: (await findBlockRow(index.db, previous.height))?.timestamp ?? 0 };
      const written = await fetchBlocks(parent, { node: client, network, log: silentLog, range });
      previous = await writeStep(index.db, { previous, blocks: written, announce: false });
    }
    await client.close();
    expect(await readStateStatus(index.db)).toEqual({ height: 300, stateHeight: undefined, pending: 0 });
    await index.follow(node.address, { state });
    await index.waitForState(tip());
    await expectConsistent();
    const fresh = await IndexedDatabase.create();
    try {
      await fresh.follow(node.address, { state });
      await fresh.waitForState(tip());
      const { namespace_registrations, accounts, namespaces } = await readTables(index.url);
      const made = await readTables(fresh.url);
      expect({ namespace_registrations, accounts, namespaces }).toEqual({
        namespace_registrations: made.namespace_registrations,
        accounts: made.accounts,
        namespaces: made.namespaces,
      });
    } finally {
      await fresh.drop();
    }
  });

  test("is read again after each fork, and equals that of an index without forks", async () => {
    const forks = recordedForks(chain);
    await index.drop();
    index = await indexWithState(chain);
    const fresh = await indexWithState(chain);
    try {
      node = await StateNode.start(chain, blocks);
      node.finalize(FINALIZED);
      for (const { fork, before, after } of forks) {
        node.switchTo(before);
        await index.follow(node.address, { state });
        await index.waitForState(tip());
        await expectConsistent();
        node.switchTo(after);
        await index.waitForState(tip());
        await index.waitFor((head) => head.finalization.height === FINALIZED.height);
        await expectConsistent();
        await index.stop();
        await fresh.follow(node.address, { state });
        await fresh.waitForState(tip());
        await fresh.waitFor((head) => head.finalization.height === FINALIZED.height);
        expect({ fork, differences: await differences(index.url, fresh.url) }).toEqual({ fork, differences: [] });
        await fresh.stop();
      }
    } finally {
      await fresh.drop();
    }
  }, 120_000);
});

function differentKeys(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): string[] {
  return [...new Set([...left.keys(), ...right.keys()])].filter((name) => left.get(name) !== right.get(name));
}

function reversed(bytes: Buffer): Buffer {
  return Buffer.from(bytes).reverse();
}

function hex(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}
