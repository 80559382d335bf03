import { expect, test } from "@jest/globals";
import { sql } from "kysely";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import { sha3OfMany } from "../../catapult/entity/hashes.js";
import { readRawBlocks } from "../../database/queries/blocks.js";
import { loadLedger } from "../../indexer/execution/stored-ledger.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";
import { differences } from "../support/compare-databases.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { devnetConfig } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { SeededRandom } from "../support/seeded-random.js";
import { trustNobody } from "../support/untrusting-node.js";

/** Set it to run this many seeds, whatever time they take. */
const SEEDS = process.env.TEST_RESTART_SEEDS;
const TIME_MS = 15_000;
const ROUNDS = 5;

test("kills at random points, and forks down to the finalized height, leave the rows of a fresh index", async () => {
  const startedAt = performance.now();
  let seeds = 0;
  const isOver = () => (SEEDS === undefined ? performance.now() - startedAt > TIME_MS : seeds >= Number(SEEDS));
  while (!isOver()) {
    await playSeed(new SeededRandom());
    seeds += 1;
  }
  process.stderr.write(`kills and forks: ${seeds} seeds\n`);
  expect(seeds).toBeGreaterThan(0);
}, 3_600_000);

async function playSeed(random: SeededRandom): Promise<void> {
  const node = await DevnetFixture.start({ rules: { votingSetGrouping: 10 } });
  const index = await IndexedDatabase.create();
  try {
    const { devnet } = node;
    trustNobody(devnet);
    const config = await devnetConfig(devnet);
    const execution = { configOf: () => config };
    for (let round = 0; round < ROUNDS; round++) {
      const playing = change(node, random);
      await index.follow(devnet, { execution });
      await new Promise((resolve) => setTimeout(resolve, random.below(150)));
      await Promise.all([kill(index), playing]);
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
    await index.drop();
    await node.stop();
  }
}

/** Ends the indexer's sessions in the middle of whatever they do, as the end of its process does, and forgets its memory. */
async function kill(index: IndexedDatabase): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'symbol-gateway indexer%' and pid <> pg_backend_pid()`.execute(
    index.db,
  );
  await index.stop();
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
  const { height, finalization } = await index.waitFor(() => true);
  const [raw] = await readRawBlocks(index.db, height, height);
  const stateHash = raw!.block.subarray(BLOCK.stateHash, BLOCK.stateHash + 32);
  const roots = (await loadLedger(index.db, config, height, finalization.height)).subCacheMerkleRoots();
  expect(roots).toHaveLength(9);
  expect(sha3OfMany(roots)).toEqual(stateHash);
}
