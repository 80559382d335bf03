import { afterEach, expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { MAIN_NETWORK_RULES } from "../../devnet/network/main-network-rules.js";
import type { NetworkConfig } from "../../ledger/config/network-config.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { DevnetFixture, signedPayload } from "../support/devnet.js";
import { devnetBlocks, devnetConfig } from "../support/devnet-execution.js";
import { MAIN_NETWORK, publicConfig } from "../support/main-network.js";

const mainNetwork = publicConfig(MAIN_NETWORK);
let fixture: DevnetFixture | undefined;

afterEach(async () => {
  await fixture?.stop();
  fixture = undefined;
});

/** What does not depend on the length of epochs, on addresses or on durations. */
function limitsOf(config: NetworkConfig) {
  const { aggregate, finalization, namespace } = config;
  return {
    totals: [config.totalChainImportance, config.maxMosaicAtomicUnits],
    harvesters: [config.minHarvesterBalance, config.maxHarvesterBalance, config.minVoterBalance],
    shares: [config.harvestBeneficiaryPercentage, config.harvestNetworkPercentage, config.importanceActivityPercentage],
    blocks: [config.defaultDynamicFeeMultiplier, config.maxDifficultyBlocks, config.maxTransactionLifetime],
    votes: [finalization.size, finalization.threshold, config.maxVotingKeysPerAccount, config.minVotingKeyLifetime],
    aggregates: [aggregate.maxTransactions, aggregate.maxCosignatures, aggregate.maxBondedLifetime],
    locks: [config.hashLock.lockedFundsPerAggregate, config.secretLock.minProofSize, config.secretLock.maxProofSize],
    mosaics: [config.mosaic.maxMosaicsPerAccount, config.mosaic.maxDivisibility, config.mosaic.rentalFee],
    names: [namespace.maxNameSize, namespace.maxChildNamespaces, namespace.maxDepth, namespace.reservedRootNames],
    rents: [namespace.rootRentalFeePerBlock, namespace.childRentalFee],
    others: [config.multisig, config.metadata, config.accountRestriction, config.mosaicRestriction, config.transfer],
  };
}

/** The names of the fork heights in the order of their heights, of several with one name that of the first. */
function forksInOrder({ forkHeights }: NetworkConfig): string[] {
  const heights = Object.entries(forkHeights).map(([name, value]) => {
    const height = value instanceof Set ? Math.min(...value) : Number(value);
    const count = value instanceof Set ? value.size : 1;
    return { text: `${name} ${count}`, height };
  });
  return heights.sort((left, right) => left.height - right.height).map(({ text }) => text);
}

test("the rules of the main network in miniature have its limits, and its fork heights in their order", async () => {
  fixture = await DevnetFixture.start({ rules: MAIN_NETWORK_RULES });
  const config = await devnetConfig(fixture.devnet);
  expect(limitsOf(config)).toEqual(limitsOf(mainNetwork));
  expect(forksInOrder(config)).toEqual(forksInOrder(mainNetwork));
  const { treasuryReissuance } = config.forkHeights;
  expect(treasuryReissuance).toBe((config.finalization.treasuryReissuanceEpoch - 2) * config.votingSetGrouping + 1);
  expect(config.finalization.ineligibleVoters.size).toBe(2);
});

test("the harvester, the users and the former voters have their first balances, the reserve has the rest", async () => {
  fixture = await DevnetFixture.start({ rules: MAIN_NETWORK_RULES });
  const { accounts, rules } = fixture.devnet;
  const balances = Object.fromEntries(accounts.map(({ name, balance }) => [name, balance / 1_000_000n]));
  expect(balances).toMatchObject({ alice: 20_000_000n, heidi: 20_000_000n, harvester: 20_000_000n });
  expect(balances).toMatchObject({ voter1: 4_000_000n, voter2: 4_000_000n, reserve: 7_654_928_625n });
  expect(accounts.reduce((sum, { balance }) => sum + balance, 0n)).toBe(rules.initialCurrencyAtomicUnits);
  expect(accounts.at(-1)?.name).toBe("harvester");
});

test("fees go to other accounts from the treasury reissuance on", async () => {
  fixture = await DevnetFixture.start({ rules: MAIN_NETWORK_RULES });
  const { harvestNetworkFeeSink: sink } = await devnetConfig(fixture.devnet);
  const { devnet } = fixture;
  const balances = () => [sink.before!.address, sink.address].map((address) => devnet.balanceOf(address));
  await devnet.harvest(71);
  const [before] = balances();
  expect(devnet.height).toBe(72);
  expect(before).toBeGreaterThan(0n);
  expect(balances()).toEqual([before, 0n]);
  await devnet.harvest(1);
  expect(balances()).toEqual([before, (devnet.rules.inflation * 5n) / 100n]);
});

test("the default rules have the totals of the main network, with which the share of activity in importances wraps", async () => {
  fixture = await DevnetFixture.start();
  const { devnet } = fixture;
  const config = await devnetConfig(devnet);
  expect(limitsOf(config).totals).toEqual(limitsOf(mainNetwork).totals);
  expect(devnet.rules.initialCurrencyAtomicUnits).toBe(7_842_928_625_000_000n);

  for (const name of ["alice", "bob"]) devnet.announce(signedPayload(devnet, fixture.account(name)));
  await devnet.harvest(config.importanceGrouping);
  const state = new ChainState(config);
  const percentages: number[] = [];
  for (const { block } of await devnetBlocks(fixture)) {
    state.execute(decodeBlock(block, devnet.network));
    if (state.height !== 1 && state.height !== config.importanceGrouping) continue;
    const scores = [...state.tables.accounts.table.values()].map(({ activity }) => activity[0]?.rawScore ?? 0n);
    const sum = scores.reduce((part, score) => part + score, 0n);
    percentages.push(Math.round((Number(sum) / Number(config.totalChainImportance)) * 1000) / 10);
  }
  // by stake alone, then 95 % by stake and what is left of the 5 % by activity
  expect(percentages).toEqual([100, 95]);
});
