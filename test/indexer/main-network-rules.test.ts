import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { readHead, readIndexPoint } from "../../database/queries/head.js";
import { backfill } from "../../indexer/backfill.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { verifyFinalizationProof } from "../../ledger/finalization/verify-proof.js";
import { votingSetAfter } from "../../ledger/finalization/voting-set.js";
import { checkIndex } from "../support/checked-index.js";
import { differences } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import type { DevnetFixture } from "../support/devnet.js";
import { devnetBlocks, devnetConfig } from "../support/devnet-execution.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { startMainRulesDevnet } from "../support/main-rules-devnet.js";

/** In epoch 8: above all fork heights and the ends of the locks. */
const HEIGHT = 150;
const FINAL = 146;

let fixture: DevnetFixture;
let config: NetworkConfig;

beforeAll(async () => {
  fixture = await startMainRulesDevnet(HEIGHT);
  fixture.devnet.finalize(FINAL);
  config = await devnetConfig(fixture.devnet);
});

afterAll(() => fixture?.stop());

const everyoneVotes = () => ({
  ...config,
  finalization: { ...config.finalization, ineligibleVoters: new Set<string>() },
});

function fill(index: IndexedDatabase, rules: NetworkConfig) {
  const { host, port } = fixture.devnet;
  return backfill(
    {
      ...{ databaseUrl: index.url, source: "node", nodes: [{ host, port }], credentials: clientCredentials },
      ...{
        log: silentLog,
        execution: { configOf: () => rules },
        jobs: 1,
        verify: "hashes",
        limits: { maxRetryMs: 50 },
      },
    },
    new AbortController().signal,
  );
}

test("the proofs of a chain with the main network's rules need the exclusion of voters", async () => {
  const [valid, validWithEveryone]: [number[], number[]] = [[], []];
  const state = new ChainState(config);
  for (const { block } of await devnetBlocks(fixture)) {
    state.execute(decodeBlock(block, fixture.devnet.network));
    for (const [rules, epochs] of [[config, valid] as const, [everyoneVotes(), validWithEveryone] as const]) {
      const set = votingSetAfter(state.tables, rules, state.height);
      const bytes = set && (await fixture.client.finalizationProofAtEpoch(set.epoch));
      if (!set || !bytes) continue;
      try {
        verifyFinalizationProof(decodeFinalizationProof(bytes), set, rules);
        epochs.push(set.epoch);
      } catch (error) {
        expect(String(error)).toMatch(/hash has prevotes of 20\d{12} of 68\d{12}: 45\d{12} are needed/);
      }
    }
  }
  expect(valid).toEqual([2, 3, 4, 5, 6, 7, 8]);
  expect(validWithEveryone).toEqual([2, 3, 4]);
});

test("the chain is filled and followed, also with a restart, and no difference is found", async () => {
  const [followed, filled] = [await IndexedDatabase.create(), await IndexedDatabase.create()];
  const { host, port } = fixture.devnet;
  const execution = { configOf: () => config };
  try {
    for (const height of [HEIGHT, HEIGHT + 4]) {
      await fixture.devnet.harvest(height - fixture.devnet.height);
      fixture.devnet.finalize(height - HEIGHT + FINAL);
      await followed.follow({ host, port }, { execution });
      await followed.waitFor((head) => head.height === height && head.finalization.height === height - HEIGHT + FINAL);
      await followed.stop();
    }
    await fill(filled, config);
    expect(await readHead(filled.db)).toMatchObject({ height: HEIGHT + 4, finalization: { height: FINAL + 4 } });
    expect(await differences(followed.url, filled.url)).toEqual([]);
    const { found } = await checkIndex({ databaseUrl: filled.url, nodes: [{ host, port }], execution });
    expect(found).toEqual([]);
  } finally {
    await followed.drop();
    await filled.drop();
  }
});

test("with the excluded voters, nothing becomes final beyond the epoch before", async () => {
  const index = await IndexedDatabase.create();
  try {
    await fill(index, everyoneVotes());
    const { height, finalizedHeight, unprovenFinalization } = await readIndexPoint(index.db);
    expect(height).toBeGreaterThan(72);
    expect(finalizedHeight).toBe(72);
    expect(unprovenFinalization).toContain("finalization proof of epoch 5, point 1: hash has prevotes");
  } finally {
    await index.drop();
  }
});
