import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { readIndexPoint } from "../../database/queries/head.js";
import { computeEpoch } from "../../ledger/config/finalization-config.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { BlockExecutionError } from "../../ledger/engine/executed-block.js";
import { balanceOf } from "../../ledger/tables/accounts.js";
import { canHarvest } from "../../ledger/tables/importance.js";
import { bytesOfMapKey } from "../../ledger/trees/state-table.js";
import { BranchNode } from "../support/branch-node.js";
import { ChainRecording } from "../support/chain-recording.js";
import { differences } from "../support/compare-databases.js";
import { fillExecuted } from "../support/fill-executed.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { StateNode } from "../support/state-node.js";
import { whileReplaced } from "../support/while-replaced.js";

const FOLDER = "main-rules";
const ZERO_KEY = Buffer.alloc(32);
const none: ReadonlySet<number> = new Set();
type Work = () => Promise<void>;

/** Heights up to which blocks were executed with the right rules: ends of epochs before a rule matters. */
const [EARLY, LATE] = [72, 120];

interface Defect {
  readonly name: string;
  readonly from: number;
  readonly change?: (config: NetworkConfig) => NetworkConfig;
  /** Runs `work` with a function as it was before it was right. */
  readonly within?: (work: Work) => Promise<void>;
  /** What the sentence about the first rejected block contains, where the effects are right. */
  readonly reason?: string;
}

const withForks = (change: (forks: NetworkConfig["forkHeights"]) => Partial<NetworkConfig["forkHeights"]>) => {
  return (config: NetworkConfig) => ({
    ...config,
    forkHeights: { ...config.forkHeights, ...change(config.forkHeights) },
  });
};

function countingZeros(importanceCounts: typeof ChainState.prototype.importanceCounts) {
  return function (this: ChainState) {
    const counts = importanceCounts.call(this);
    const accounts = this.tables.voters.ownValues().map((key) => this.tables.accounts.require(bytesOfMapKey(key)));
    const epoch = computeEpoch(this.height, this.config.votingSetGrouping);
    const zeros = accounts.filter(({ votingKeys }) =>
      votingKeys.some((key) => ZERO_KEY.equals(key.publicKey) && key.startEpoch <= epoch && epoch <= key.endEpoch),
    );
    return {
      ...counts,
      votingEligibleAccountsCount: counts.votingEligibleAccountsCount + zeros.length,
      totalVotingBalance: zeros.reduce(
        (sum, account) => sum + balanceOf(account, this.config.harvestingMosaicId),
        counts.totalVotingBalance,
      ),
    };
  };
}

/** Rules that this program once had otherwise, and others. */
const DEFECTS: readonly Defect[] = [
  {
    name: "products of the importance calculation do not wrap",
    from: LATE,
    within: (work) =>
      whileReplaced(
        BigInt,
        "asUintN",
        (asUintN) => (bits, value) => (bits === 64 && value >= 0n ? value : asUintN(bits, value)),
        work,
      ),
  },
  {
    name: "the harvester's balance must be within its limits before the block too",
    from: LATE,
    within: (work) =>
      whileReplaced(
        ChainState.prototype,
        "execute",
        (execute) =>
          function (this: ChainState, block, fits, isProven) {
            const { height, signerAddress } = block;
            const isEligible = height === 1 || isProven || canHarvest({ ...this, height }, signerAddress);
            if (!isEligible) throw new BlockExecutionError("the harvester is not eligible");
            return execute.call(this, block, fits, isProven);
          },
        work,
      ),
    reason: "the harvester is not eligible",
  },
  {
    name: "a voting key of zeros counts",
    from: LATE,
    within: (work) => whileReplaced(ChainState.prototype, "importanceCounts", countingZeros, work),
    reason: "votingEligibleAccountsCount",
  },
  {
    name: "leaves of secret locks are removed",
    from: EARLY,
    change: withForks(() => ({ skipSecretLockExpirations: none })),
  },
  {
    name: "older secret locks are not paid",
    from: EARLY,
    change: withForks(() => ({ forceSecretLockExpirations: none })),
  },
  {
    name: "secret locks must be unique",
    from: EARLY,
    change: withForks(() => ({ skipSecretLockUniquenessChecks: none })),
  },
  {
    name: "aliases end earlier",
    from: EARLY,
    change: (config) => ({ ...config, namespace: { ...config.namespace, gracePeriodDuration: 19n } }),
  },
  {
    name: "fees are paid before anything else",
    from: LATE,
    change: withForks(() => ({ totalVotingBalanceCalculationFix: 1_000 })),
  },
  {
    name: "the fee sink changes later",
    from: EARLY,
    change: (config) => ({
      ...config,
      harvestNetworkFeeSink: {
        ...config.harvestNetworkFeeSink,
        before: config.harvestNetworkFeeSink.before && { ...config.harvestNetworkFeeSink.before, height: 75 },
      },
    }),
  },
];

describe("a recorded chain, with a rule that is wrong", () => {
  const closers: (() => Promise<unknown>)[] = [];
  let chain: ChainRecording;
  let node: BranchNode;
  let reference: IndexedDatabase;
  /** Height of the newest final block. */
  let tip: number;

  beforeAll(async () => {
    chain = new ChainRecording(FOLDER);
    const { network, config } = chain;
    const proofs = chain.finalizationProofs();
    const finals = [...proofs.values()].map((bytes) => decodeFinalizationProof(bytes));
    const newest = finals.reduce((left, right) => (left.height > right.height ? left : right));
    tip = newest.height;
    const blocks = chain.blocks.slice(0, tip).map(({ bytes }) => ({ block: bytes, statement: Buffer.alloc(0) }));
    node = await BranchNode.start({ network, blocks });
    closers.push(() => node.close());
    new StateNode(node, config).switchTo(blocks);
    node.showProofs(proofs);
    node.finalize({ epoch: newest.epoch, point: newest.point, height: tip });
    reference = await startedAt(LATE);
    await fill(reference, config);
  });

  afterAll(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  /** An index with the right rules up to a height. */
  async function startedAt(height: number): Promise<IndexedDatabase> {
    const name = `main_rules_${height}`;
    const index = await IndexedDatabase.filled({ name, fill: (unfilled) => fill(unfilled, chain.config, height) });
    closers.push(() => index.drop());
    return index;
  }

  async function fill(index: IndexedDatabase, config: NetworkConfig, to = tip): Promise<void> {
    await fillExecuted(index, config, { nodes: [node.address], verify: "hashes", to });
  }

  const both = DEFECTS.flatMap((defect) => [true, false].map((isFilled) => ({ ...defect, isFilled })));
  // Filling with one, following with the next, unless both are to be run with each.
  const cases = both.filter((_, index) => process.env.TEST_DEFECTS === "all" || index % 4 === 0 || index % 4 === 3);

  test.each(cases)(
    "$name (filled: $isFilled)",
    async ({ change, within = (work: Work) => work(), reason = "", from, isFilled }) => {
      const config = change?.(chain.config) ?? chain.config;
      const index = await startedAt(from);
      await within(async () => {
        if (isFilled) await fill(index, config);
        await index.follow(node.address, { execution: { configOf: () => config } });
        await index.waitFor((head) => head.height === tip && head.finalization.height === tip);
        await index.stop();
        const { missingRule, stateDiffersSince } = await readIndexPoint(index.db);
        const other = (await differences(reference.url, index.url)).filter((one) => !one.startsWith("missing_rule"));
        expect(missingRule).toMatch(new RegExp(`^block \\d+: .*${reason}`));
        if (reason !== "") expect([stateDiffersSince, other]).toEqual([null, []]);
        else if (stateDiffersSince !== null) expect(other).not.toEqual([]);
      });
    },
  );
});
