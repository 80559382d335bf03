import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { backfill } from "../../indexer/backfill/backfill.js";
import type { NetworkConfig } from "../../ledger/state/network-config.js";
import { BranchNode } from "../support/branch-node.js";
import { clientCredentials, serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { nodeInfoOf } from "../support/node-info.js";
import { SharedChain } from "../support/shared-chain.js";
import { describeIfShared } from "../support/shared-folder.js";
import { serveWithState } from "../support/state-server.js";
import { marked, wrongEntries } from "../support/unproven-entries.js";
import { until } from "../support/until.js";
import { trustNobody } from "../support/untrusting-node.js";

const FOLDER = "chain/main-rules";
const none: ReadonlySet<number> = new Set();
const asUintN = BigInt.asUintN.bind(BigInt);

interface Defect {
  readonly name: string;
  readonly change?: (config: NetworkConfig) => NetworkConfig;
  /** Puts a function back as it was before it was right; returns how to undo that. */
  readonly patch?: () => () => void;
}

const withForks = (change: (forks: NetworkConfig["forkHeights"]) => Partial<NetworkConfig["forkHeights"]>) => {
  return (config: NetworkConfig) => ({
    ...config,
    forkHeights: { ...config.forkHeights, ...change(config.forkHeights) },
  });
};

/** Rules that this program once had otherwise, and others. */
const DEFECTS: readonly Defect[] = [
  {
    name: "products of the importance calculation do not wrap",
    patch: () => {
      BigInt.asUintN = (bits, value) => (bits === 64 && value >= 0n ? value : asUintN(bits, value));
      return () => {
        BigInt.asUintN = asUintN;
      };
    },
  },
  { name: "leaves of secret locks are removed", change: withForks(() => ({ skipSecretLockExpirations: none })) },
  { name: "older secret locks are not paid", change: withForks(() => ({ forceSecretLockExpirations: none })) },
  {
    name: "secret locks must be unique",
    change: withForks(() => ({ skipSecretLockUniquenessChecks: none })),
  },
  {
    name: "aliases end earlier",
    change: (config) => ({ ...config, namespace: { ...config.namespace, gracePeriodDuration: 19n } }),
  },
  {
    name: "fees are paid before anything else",
    change: withForks(() => ({ totalVotingBalanceCalculationFix: 1_000 })),
  },
  {
    name: "the fee sink changes later",
    change: (config) => ({
      ...config,
      harvestNetworkFeeSink: {
        ...config.harvestNetworkFeeSink,
        before: config.harvestNetworkFeeSink.before && { ...config.harvestNetworkFeeSink.before, height: 75 },
      },
    }),
  },
];

describeIfShared("a recorded chain, with a rule that is wrong", `${FOLDER}/blocks.jsonl.gz`, () => {
  const closers: (() => Promise<unknown>)[] = [];
  let chain: SharedChain;
  let node: BranchNode;
  let reference: IndexedDatabase;
  /** Height of the newest final block. */
  let tip: number;

  beforeAll(async () => {
    chain = new SharedChain(FOLDER);
    const { network, config } = chain;
    const proofs = chain.finalizationProofs();
    const finals = [...proofs.values()].map((bytes) => decodeFinalizationProof(bytes));
    const newest = finals.reduce((left, right) => (left.height > right.height ? left : right));
    tip = newest.height;
    const blocks = chain.blocks.slice(0, tip).map(({ bytes }) => ({ block: bytes, statement: Buffer.alloc(0) }));
    const options = { network, nodeInfo: nodeInfoOf(network), credentials: serverCredentials, log: silentLog };
    node = await BranchNode.start({ ...options, blocks });
    closers.push(() => node.close());
    trustNobody(node);
    serveWithState(node, blocks, network, config);
    node.showProofs(proofs);
    node.finalize({ epoch: newest.epoch, point: newest.point, height: tip });
    reference = await filled(config);
  }, 60_000);

  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function filled(config: NetworkConfig): Promise<IndexedDatabase> {
    const index = await IndexedDatabase.create();
    closers.push(() => index.drop());
    await backfill(
      {
        ...{ databaseUrl: index.url, source: "node", nodes: [node.address], credentials: clientCredentials },
        ...{
          log: silentLog,
          execution: { configOf: () => config },
          jobs: 1,
          verify: "hashes",
          maxRetryMs: 50,
          to: tip,
        },
      },
      new AbortController().signal,
    );
    return index;
  }

  const both = DEFECTS.flatMap((defect) => [true, false].map((isFilled) => ({ ...defect, isFilled })));
  // Filling with one, following with the next, unless both are to be run with each.
  const cases = both.filter((_, index) => process.env.TEST_DEFECTS === "all" || index % 4 === 0 || index % 4 === 3);

  test.each(cases)(
    "$name (filled: $isFilled)",
    async ({ change, patch, isFilled }) => {
      const config = change?.(chain.config) ?? chain.config;
      const undo = patch?.();
      try {
        const index = isFilled ? await filled(config) : await IndexedDatabase.create();
        if (!isFilled) closers.push(() => index.drop());
        await index.follow(node.address, { execution: { configOf: () => config } });
        await index.waitFor((head) => head.height === tip && head.finalization.height === tip);
        const isRight = async () => (await readIndexPoint(index.db)).stateDiffersSince === null;
        await until(isRight, "the state is that of the network");
        await index.stop();
        expect(await marked(index)).toEqual(await wrongEntries(index, reference, tip));
        const { overruledChecks, unprovenEntries, unprovenReceipts } = await readIndexPoint(index.db);
        expect(overruledChecks + unprovenEntries + unprovenReceipts).toBeGreaterThan(0);
      } finally {
        undo?.();
      }
    },
    60_000,
  );
});
