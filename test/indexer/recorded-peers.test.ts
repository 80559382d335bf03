import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { ChainRecording } from "../support/chain-recording.js";
import { checkIndex } from "../support/checked-index.js";
import { COMPARED_IF_EXECUTED, differences } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { fillExecuted } from "../support/fill-executed.js";
import { followNode } from "../support/followed-node.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { RecordedPeer } from "../support/recorded-peer.js";
import { SeededRandom } from "../support/seeded-random.js";

/** Blocks between two loads of the engine, at most; `TEST_STRIDE=1` loads it before every block. */
const STRIDE = Number(process.env.TEST_STRIDE ?? 10);

describe.each(["announced", "main-rules"])("from a node that serves what any peer serves, the chain in %s", (name) => {
  const chain = new ChainRecording(name);
  const height = chain.blocks.length;
  const execution = { configOf: () => chain.config };
  const indexes: IndexedDatabase[] = [];
  let peer: RecordedPeer;
  /** Followed without a restart. */
  let straight: IndexedDatabase;

  beforeAll(async () => {
    peer = await RecordedPeer.start(chain, height);
    straight = await IndexedDatabase.create();
    await straight.follow(peer.address, { execution });
    await straight.waitFor(isComplete);
    await straight.stop();
  });

  afterEach(async () => {
    for (const index of indexes.splice(0)) await index.drop();
    peer.reveal(height);
  });

  afterAll(async () => {
    await straight?.drop();
    await peer?.close();
  });

  async function createIndex(): Promise<IndexedDatabase> {
    const index = await IndexedDatabase.create();
    indexes.push(index);
    return index;
  }

  function isComplete(head: { readonly hash: Buffer; readonly finalization: { readonly height: number } }): boolean {
    return head.hash.equals(peer.hashAt(height)) && head.finalization.height === peer.finalizedHeight;
  }

  test("is followed to its last block, and check finds no difference", async () => {
    const { found, checked } = await checkIndex({ databaseUrl: straight.url, nodes: [peer.address], execution });
    expect(found).toEqual([]);
    expect(checked.get("blocks")).toBe(height);
  });

  test("has the same rows when a backfill executes it", async () => {
    const index = await createIndex();
    const report = await fillExecuted(index, chain.config, { nodes: [peer.address], jobs: 2 });
    expect(report?.height).toBe(height);
    expect(await differences(straight.url, index.url, COMPARED_IF_EXECUTED)).toEqual([]);
  });

  test("has the same rows when the engine is loaded from the database every few blocks", async () => {
    const random = new SeededRandom();
    const index = await createIndex();
    const node = new NodeClient({ nodes: [peer.address], credentials: clientCredentials, log: silentLog });
    try {
      for (let revealed = 0; revealed < height; ) {
        revealed = Math.min(height, revealed + 1 + random.below(STRIDE));
        peer.reveal(revealed);
        await followToHead(index, node);
      }
    } finally {
      await node.close();
    }
    expect(await differences(straight.url, index.url, COMPARED_IF_EXECUTED)).toEqual([]);
  }, 3_600_000);

  /** Loads the state, and follows the node until it has nothing new. @throws what ends a round */
  async function followToHead({ db }: IndexedDatabase, node: NodeClient): Promise<void> {
    const end = new AbortController();
    await followNode(db, node, chain.config, async () => end.abort(), end.signal);
  }
});
