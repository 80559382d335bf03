import { expect, test } from "@jest/globals";
import { sql } from "kysely";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { sha3OfMany } from "../../catapult/entity/hashes.js";
import { readRawBlocks } from "../../database/queries/blocks.js";
import { openLoadedLedger } from "../../indexer/chain/execution/stored-ledger.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { differences } from "../support/compare-databases.js";
import { silentLog } from "../support/connection-fixtures.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { devnetConfig } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { KillableIndexer } from "../support/killable-indexer.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { SeededRandom } from "../support/seeded-random.js";
import { anyMoment, isWithin } from "../support/until.js";

/** `TEST_RESTART_SEEDS=100` runs a hundred. */
const SEEDS = Number(process.env.TEST_RESTART_SEEDS ?? 2);
const ROUNDS = 5;
/** Maximum time from the start of the indexer until it is killed, in ms. */
const LATEST_KILL_MS = 500;

test("kill -9 at random points, and forks down to the finalized height, leave the rows of a new index", async () => {
  const indexer = new KillableIndexer();
  try {
    for (let seed = 0; seed < SEEDS; seed++) await playSeed(indexer, new SeededRandom());
  } finally {
    await indexer.close();
  }
}, 3_600_000);

async function playSeed(indexer: KillableIndexer, random: SeededRandom): Promise<void> {
  const node = await DevnetFixture.start({ rules: { votingSetGrouping: 10 } });
  const index = await IndexedDatabase.create();
  try {
    const { devnet } = node;
    const config = await devnetConfig(devnet);
    const execution = { configOf: () => config };
    const { host, port } = devnet;
    for (let round = 0; round < ROUNDS; round++) {
      await indexer.start({ databaseUrl: index.url, nodes: [{ host, port }], config });
      const playing = change(node, random);
      await anyMoment(random, LATEST_KILL_MS);
      if (random.below(2) === 0) await waitForTransaction(index);
      await indexer.kill();
      await playing;
    }
    await index.follow(devnet, { execution });
    const { finalized, height } = devnet;
    const { hash } = devnet.block(height);
    await index.waitFor((head) => head.hash.equals(hash) && head.finalization.height === finalized.height);
    await index.stop();
    await expectRoots(index, config);
    const fresh = await IndexedDatabase.create();
    try {
      await fresh.follow(devnet, { execution });
      await fresh.waitFor((head) => head.hash.equals(hash) && head.finalization.height === finalized.height);
      expect(await differences(fresh.url, index.url)).toEqual([]);
    } finally {
      await fresh.drop();
    }
  } finally {
    await indexer.kill();
    await index.drop();
    await node.stop();
  }
}

/** Waits briefly for the indexer to write something uncommitted. */
async function waitForTransaction({ db }: IndexedDatabase): Promise<void> {
  const open = sql`select 1 from ${sql.raw(OWN_CONNECTIONS)}
    where application_name like 'symbol-gateway indexer%' and backend_xid is not null`;
  await isWithin(LATEST_KILL_MS, async () => (await open.execute(db)).rows.length > 0);
}

/** Blocks with transfers, perhaps another branch from any height that is not final, perhaps a newer final block. */
async function change(node: DevnetFixture, random: SeededRandom): Promise<void> {
  const { devnet } = node;
  const [alice, bob] = [node.account("alice"), node.account("bob")];
  const transfer = () =>
    signedPayload(devnet, alice, { recipientAddress: bob.address, amount: BigInt(random.below(1_000_000)) });
  for (let blocks = 1 + random.below(8); blocks > 0; blocks--) {
    for (let transfers = random.below(3); transfers > 0; transfers--) devnet.announce(transfer());
    await devnet.harvest(1);
  }
  if (random.below(2) === 0) {
    const lowest = devnet.finalized.height;
    const from = lowest + random.below(devnet.height - lowest + 1);
    const blocks = devnet.height - from + 1 + random.below(3);
    devnet.fork({ from, blocks, transactions: [[transfer()]], keepTransactions: random.below(2) === 0 });
  }
  const unfinalized = devnet.height - devnet.finalized.height;
  if (random.below(2) === 0 && unfinalized > 1)
    devnet.finalize(devnet.finalized.height + 1 + random.below(unfinalized));
}

async function expectRoots(index: IndexedDatabase, config: NetworkConfig): Promise<void> {
  const head = await index.waitFor(() => true);
  const { height } = head;
  const [raw] = await readRawBlocks(index.db, height, height);
  const stateHash = raw!.block.subarray(BLOCK.stateHash, BLOCK.stateHash + 32);
  const { ledger } = await openLoadedLedger({ db: index.db, config, log: silentLog }, height, head);
  const roots = ledger.subCacheMerkleRoots();
  expect(roots).toHaveLength(9);
  expect(sha3OfMany(roots)).toEqual(stateHash);
}
