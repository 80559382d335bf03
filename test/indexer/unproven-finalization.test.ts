import { mock } from "node:test";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readIndexPoint } from "../../database/queries/head.js";
import { FinalizationStage, writeFinalizationProof } from "../../devnet/chain/finalization-proof.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { Finality } from "../../indexer/chain/finality/finality.js";
import { BEFORE_NEMESIS } from "../../indexer/chain/step/chain-position.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import type { VotingSet } from "../../ledger/finalization/voting-set.js";
import type { BranchNode, ServedBlock } from "../support/branch-node.js";
import { ChainRecording } from "../support/chain-recording.js";
import { differences } from "../support/compare-databases.js";
import { silentLog } from "../support/connection-fixtures.js";
import { signedPayload } from "../support/devnet.js";
import { devnetBlocks } from "../support/devnet-execution.js";
import { fillExecuted } from "../support/fill-executed.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { RecordedPeer } from "../support/recorded-peer.js";
import { until } from "../support/until.js";
import { isFinalAt, VotedChain } from "../support/voted-chain.js";

const HEIGHT = 33;

let chain: VotedChain;

beforeAll(async () => {
  chain = await VotedChain.record(
    "unproven finalization",
    async (fixture) => {
      const { devnet } = fixture;
      while (devnet.height < HEIGHT) {
        devnet.announce(signedPayload(devnet, fixture.account("alice"), { amount: 1n }));
        await devnet.harvest(1);
      }
    },
    [10, 20, 30, HEIGHT],
  );
});

afterAll(() => chain.close());

/** Nothing listens there. */
const NOBODY = { host: "127.0.0.1", port: 1 };

/** Rules by which the votes of all voters are too few. */
function tooFewVotes(config: NetworkConfig): NetworkConfig {
  return { ...config, finalization: { ...config.finalization, size: 1n, threshold: 2n } };
}

async function servesAll(): Promise<BranchNode> {
  const node = await chain.serve(chain.blocks);
  chain.showVotes(node, HEIGHT);
  return node;
}

async function expectUnproven(index: IndexedDatabase, height: number, reason: RegExp): Promise<void> {
  const { unprovenFinalization, finalizedHeight, ...point } = await readIndexPoint(index.db);
  expect(point).toMatchObject({ height, failure: null, missingRule: null, stateDiffersSince: null });
  expect(unprovenFinalization).toMatch(reason);
  expect(finalizedHeight).toBeLessThan(height);
}

const TOO_FEW = /^finalization proof of epoch \d, point \d+: hash has prevotes of \d+ of \d+: \d+ are needed$/;

test.each([
  [1, 0],
  [2, 0],
  [2, 1],
])(
  "if the proofs of all %i nodes are invalid (%i more are down), blocks are followed without becoming final",
  async (count, down) => {
    const nodes = await Promise.all(Array.from({ length: count }, servesAll));
    const [first] = nodes;
    const addresses = [...nodes.map(({ address }) => address), ...Array.from({ length: down }, () => NOBODY)];
    const index = await chain.createIndex();
    const log = new LogLines();
    const wrong = { configOf: () => tooFewVotes(chain.right) };
    await index.follow(first!.address, { nodes: addresses, execution: wrong, log: log.logger });
    await index.waitFor((head) => head.height === HEIGHT);
    await until(async () => (await readIndexPoint(index.db)).failure === null, "a round has succeeded");
    await index.stop();
    await expectUnproven(index, HEIGHT, TOO_FEW);
    expect(log.matching(/No block becomes final/)).toHaveLength(1);

    await index.follow(first!.address, { nodes: addresses, execution: { configOf: () => chain.right } });
    await isFinalAt(index, HEIGHT);
    await index.stop();
    expect((await readIndexPoint(index.db)).unprovenFinalization).toBeNull();
  },
);

test("filling continues without finality too", async () => {
  const node = await servesAll();
  const [index, right] = [await chain.createIndex(), await chain.createIndex()];
  const report = await fillExecuted(index, tooFewVotes(chain.right), { nodes: [node.address] });
  expect(report?.height).toBe(HEIGHT);
  await expectUnproven(index, HEIGHT, TOO_FEW);
  await index.follow(node.address, { execution: { configOf: () => chain.right } });
  await isFinalAt(index, HEIGHT);
  await index.stop();
  await fillExecuted(right, chain.right, { nodes: [node.address] });
  expect(await differences(right.url, index.url)).toEqual([]);
});

test("invalid proofs are ignored for an hour, and each is requested once meanwhile", async () => {
  const { db } = await chain.createIndex();
  const finality = new Finality({ db, log: silentLog });
  const proof = await chain.fixture.client.finalizationProofAtEpoch(2);
  let requests = 0;
  let name = "a:1";
  const node = {
    get servedBy() {
      return name;
    },
    blockHashes: async () => [],
    finalizationProofAtEpoch: async () => {
      requests += 1;
      return proof;
    },
  };
  const set: VotingSet = { epoch: 2, height: 1, voters: [] };
  const voters = { ledger: { config: chain.right }, votingSet: () => set };
  const finalization = { epoch: 0, point: 0, ...BEFORE_NEMESIS };
  const head = { height: 10, hash: Buffer.alloc(32), score: 0n, finalization, eventSequence: 0 };
  const look = (point = 1) =>
    finality.check(node, voters, head, { epoch: 2, point, height: 10, hash: Buffer.alloc(32) });
  await expect(look()).rejects.toThrow(FinalizationProofError);
  await finality.ignoreInvalid(new Error("invalid"));
  const asked: number[] = [];
  const lookAgain = async (point?: number) => {
    expect(await look(point)).toEqual({ contradiction: undefined });
    asked.push(requests);
  };
  requests = 0;
  await lookAgain();
  await lookAgain();
  await lookAgain(2);
  name = "b:1";
  await lookAgain();
  await lookAgain();
  expect(asked).toEqual([1, 1, 2, 3, 3]);
  const later = performance.now() + 3_600_000;
  const clock = mock.method(performance, "now", () => later);
  await expect(look()).rejects.toThrow(FinalizationProofError);
  clock.mock.restore();
  await finality.ignoreInvalid(new Error("invalid"));
  await finality.wrote({ final: finalization });
  await expect(look()).rejects.toThrow(FinalizationProofError);
});

test("a block becomes final in a round of whose branch the chain had only the first blocks before", async () => {
  const seed = "a branch that is voted for";
  const [common, first, height] = [15, 14, 18];
  let left: readonly ServedBlock[] = [];
  const voted = await VotedChain.record(
    seed,
    async (fixture) => {
      await fixture.devnet.harvest(height - 1);
      left = await devnetBlocks(fixture);
      fixture.devnet.fork({ from: common, blocks: 1 });
      await fixture.devnet.harvest(height - common);
    },
    [10],
  );
  try {
    const { client, devnet } = voted.fixture;
    const hashes = voted.blocks.slice(first - 1, height).map((_, index) => devnet.block(first + index).hash);
    const round = { epoch: 3, point: 9, height, hash: hashes.at(-1)! };
    const voters = [deriveDevnetKeys(seed)];
    const proof = writeFinalizationProof(round, [
      { stage: FinalizationStage.prevote, height: first, hashes, voters },
      { stage: FinalizationStage.precommit, height, hashes: [round.hash], voters },
    ]);
    const node = await voted.serve(voted.blocks);
    node.switchTo(left);
    const before = (await client.finalizationProofAtEpoch(2))!;
    node.showProofs(
      new Map([
        [2, before],
        [3, proof],
      ]),
    );
    node.finalize(round);
    const index = await voted.createIndex();
    await index.follow(node.address, { execution: { configOf: () => voted.right } });
    await index.waitFor((head) => head.finalization.height === common);
    node.switchTo(voted.blocks);
    await index.waitFor((head) => head.finalization.height === height);
    await index.stop();
    expect((await readIndexPoint(index.db)).unprovenFinalization).toBeNull();
  } finally {
    await voted.close();
  }
});

describe("a recorded chain with voters that an epoch excludes", () => {
  test.each([true, false])("is indexed to the tip by a program that lacks this rule (filled: %s)", async (isFilled) => {
    const recording = new ChainRecording("main-rules");
    const peer = await RecordedPeer.start(recording);
    const { config, blocks } = recording;
    const index = await IndexedDatabase.create();
    try {
      const wrong = { ...config, finalization: { ...config.finalization, ineligibleVoters: new Set<string>() } };
      if (isFilled) await fillExecuted(index, wrong, { nodes: [peer.address], verify: "hashes", to: blocks.length });
      else await index.follow(peer.address, { execution: { configOf: () => wrong } });
      await index.waitFor((head) => head.height === blocks.length);
      await index.stop();
      await expectUnproven(index, blocks.length, /^finalization proof of epoch [5-9], point \d+: hash has prevotes of/);
    } finally {
      await index.drop();
      await peer.close();
    }
  });
});
