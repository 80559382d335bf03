import { describe, expect, test } from "@jest/globals";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { RECEIPT_TYPE } from "../../catapult/structs/type-names.js";
import { ChainState } from "../../ledger/engine/chain-state.js";
import { dynamicFeeMultiplier } from "../../ledger/tables/fee-multiplier.js";
import { accountLink, votingLink } from "../devnet/state-descriptors.js";
import { account, HARVESTING, TestChain, transfer } from "../devnet/state-test-chain.js";
import { preview } from "../support/preview.js";
import { StateStore } from "../support/state-store.js";

const GROUPING = 20;

/** A chain whose harvester gave some of the harvesting mosaic to others in its second block. */
function chainWithStakes(stakes: Readonly<Record<string, bigint>>): TestChain {
  const chain = new TestChain(["harvester", ...Object.keys(stakes)]);
  const gifts = Object.entries(stakes).map(([name, amount]) => transfer(name, [[HARVESTING, amount]]));
  chain.mine(...gifts.map((gift) => chain.transaction("harvester", gift)));
  return chain;
}

/** Executes empty blocks up to this one. */
function skipTo(chain: TestChain, height: number): void {
  chain.skip(height - chain.state.height);
}

describe("the fees and the inflation of a block", () => {
  test("are shared: the parts of the beneficiary and of the network are rounded down, the harvester has the rest", () => {
    const chain = new TestChain(["alice"]);
    const one = chain.transaction("alice", { ...transfer("bob", [], "12345"), fee: 1_000n });
    const total = 100n + 3n * BigInt(one.bytes.length);
    expect([(total * 5n) % 100n, (total * 10n) % 100n]).not.toContain(0n);
    const before = chain.balance("harvester");
    const sunk = chain.balance("sink");
    chain.mineWith({ feeMultiplier: 3, beneficiary: account("other").address }, one);
    const parts = { network: (total * 5n) / 100n, beneficiary: (total * 10n) / 100n };
    expect(chain.balance("sink") - sunk).toBe(parts.network);
    expect(chain.balance("other")).toBe(parts.beneficiary);
    expect(chain.balance("harvester") - before).toBe(total - parts.network - parts.beneficiary);
  });

  test("go to the main account of a remote harvester, and of a remote beneficiary", () => {
    const chain = new TestChain(["alice"]);
    chain.mine(
      chain.transaction("harvester", accountLink("remote", "link")),
      chain.transaction("alice", accountLink("other", "link")),
    );
    const { statement } = chain.mineWith({ harvester: "remote", beneficiary: account("other").address });
    const receipts = decodeStatement(statement).transactionStatements[0]!.receipts;
    const fees = receipts.filter(({ type }) => type === RECEIPT_TYPE.harvest_fee) as unknown as {
      targetAddress: Buffer;
      amount: bigint;
    }[];
    expect(fees.map(({ targetAddress, amount }) => [targetAddress, amount])).toEqual([
      [account("harvester").address, 85n],
      [account("sink").address, 5n],
      [account("alice").address, 10n],
    ]);
    expect(chain.balance("remote")).toBe(0n);
  });

  test("are the size times the multiplier, with 64 bits", () => {
    const chain = new TestChain(["alice"]);
    const one = chain.transaction("alice", { ...transfer("bob"), fee: 2n ** 33n });
    const feeMultiplier = 50_000_000;
    const fee = BigInt(one.bytes.length) * BigInt(feeMultiplier);
    expect(fee).toBeGreaterThan(2n ** 32n);
    const before = chain.balance("alice");
    chain.mineWith({ feeMultiplier }, one);
    expect(before - chain.balance("alice")).toBe(fee);
  });

  test("have the inflation of the last step up to the block's height, and none before the first one", () => {
    const inflation = [
      { height: 3, amount: 7n },
      { height: 5, amount: 0n },
    ];
    const chain = new TestChain([], {}, { inflation });
    const created = Array.from({ length: 4 }, () =>
      decodeStatement(chain.mine().statement)
        .transactionStatements.flatMap(({ receipts }) => receipts)
        .flatMap((receipt) => (receipt.kind === "inflation" ? [receipt.amount] : [])),
    );
    expect(created).toEqual([[], [7n], [7n], []]);
  });
});

describe("who may harvest", () => {
  test("has from the minimum to the maximum of the harvesting mosaic, after the block's transactions", () => {
    const chain = chainWithStakes({ alice: 500n });
    skipTo(chain, 2 * GROUPING);
    const giving = (amount: bigint) => chain.transaction("alice", transfer("bob", [[HARVESTING, amount]]));
    expect(() => chain.mineWith({ harvester: "alice" }, giving(1n))).toThrow(
      "block 41: Failure_Core_Block_Harvester_Ineligible",
    );
    chain.mineWith({ harvester: "alice" });
    const back = chain.transaction("harvester", transfer("alice", [[HARVESTING, 1n]]));
    chain.mineWith({ harvester: "alice" }, giving(1n), back);
    expect(() =>
      chain.mineWith(
        { harvester: "alice" },
        chain.transaction("harvester", transfer("alice", [[HARVESTING, 14_999_499n]])),
        chain.transaction("bob", transfer("alice", [[HARVESTING, 1n]])),
      ),
    ).not.toThrow();
    expect(chain.balance("alice", HARVESTING)).toBe(15_000_000n);
    expect(chain.state.config.maxHarvesterBalance).toBe(15_000_000n);
  });

  test("has no more than the maximum", () => {
    const chain = new TestChain([], {}, { maxHarvesterBalance: 14_999_999n });
    expect(() => chain.mine()).toThrow("block 2: Failure_Core_Block_Harvester_Ineligible");
  });

  test("has an importance of the present group, which begins a group after the first balance", () => {
    const chain = chainWithStakes({ alice: 1_000n });
    const mayHarvest = () => {
      try {
        preview(chain.state, chain.nextBlock("alice"));
        return true;
      } catch {
        return false;
      }
    };
    const first = [];
    for (; chain.state.height < 2 * GROUPING + 1; chain.skip(1)) if (mayHarvest()) first.push(chain.state.height + 1);
    // the first calculation counts nothing: the account had no score before it
    expect(first).toEqual([2 * GROUPING + 1]);
    expect(chain.account("alice").importances).toMatchObject([{ height: 40 }, { height: 20, importance: 0n }]);
  });
});

describe("the activity of an account", () => {
  test("is recorded while it has a current importance: fees by their payer, blocks by their beneficiary", () => {
    const chain = chainWithStakes({ alice: 1_000n });
    const pay = () => chain.transaction("alice", { ...transfer("bob"), fee: 1_000n });
    const size = BigInt(pay().bytes.length);
    chain.mineWith({ feeMultiplier: 2, beneficiary: account("alice").address }, pay());
    expect(chain.account("alice").activity).toEqual([]);
    skipTo(chain, GROUPING);
    chain.mineWith({ feeMultiplier: 2, beneficiary: account("alice").address }, pay(), pay());
    const bucket = { startHeight: 20, totalFeesPaid: 4n * size, beneficiaryCount: 1 };
    expect(chain.account("alice").activity).toMatchObject([bucket]);
    expect(chain.account("bob").activity).toEqual([]);
  });

  test("of an account that falls below the minimum moves on with the groups, and ends seven groups later", () => {
    const chain = chainWithStakes({ alice: 1_000n });
    skipTo(chain, 2 * GROUPING);
    chain.send("alice", transfer("harvester", [[HARVESTING, 501n]]));
    const seen = [];
    for (let group = 3; group <= 11; ++group) {
      skipTo(chain, group * GROUPING);
      const { activity, importances } = chain.account("alice");
      seen.push(`${activity.map(({ startHeight }) => startHeight)} / ${importances.map(({ height }) => height)}`);
    }
    expect(seen).toEqual([
      "0,40,20 / 0,40,20",
      "0,0,40,20 / 0,0,40",
      "0,0,0,40,20 / 0,0,0",
      "0,0,0,0,40,20 / 0,0,0",
      "0,0,0,0,0,40,20 / 0,0,0",
      "0,0,0,0,0,0,40 / 0,0,0",
      ...Array.from({ length: 3 }, () => "0,0,0,0,0,0,0 / 0,0,0"),
    ]);
    expect(chain.state.tables.formerHighValueAccounts.ownValues()).toEqual([]);
  });

  test("before an account fell below the minimum does not count when it is above it again", () => {
    const chain = chainWithStakes({ alice: 1_000n, carol: 1_000n });
    skipTo(chain, 2 * GROUPING);
    chain.send("alice", transfer("bob", [[HARVESTING, 501n]]));
    skipTo(chain, 3 * GROUPING);
    chain.send("bob", transfer("alice", [[HARVESTING, 501n]]));
    skipTo(chain, 4 * GROUPING);
    const [alice, carol] = ["alice", "carol"].map((name) => chain.account(name).importances[0]!);
    expect(alice).toEqual({ height: 80, importance: 0n });
    expect(carol!.importance).toBeGreaterThan(0n);
    skipTo(chain, 5 * GROUPING);
    expect(chain.account("alice").importances[0]!.importance).toBeGreaterThan(0n);
  });
});

describe("the footer of an importance block", () => {
  test("counts accounts with the minimum balances, and the voters with a key for the epoch", () => {
    const chain = chainWithStakes({ alice: 50_000n, bob: 49_999n, carol: 500n, dave: 499n, eve: 50_000n });
    chain.mine(
      chain.transaction("alice", votingLink(1, 100)),
      chain.transaction("bob", votingLink(1, 100)),
      chain.transaction("eve", votingLink(2, 100)),
    );
    const { config } = chain.state;
    expect(config.minHarvesterBalance).toBe(500n);
    expect(config.minVoterBalance).toBe(50_000n);
    expect(chain.state.importanceCounts()).toEqual({
      votingEligibleAccountsCount: 2,
      harvestingEligibleAccountsCount: 5n,
      totalVotingBalance: 100_000n,
    });
  });

  test("counts keys of all epochs below its fork height, and those of the block's epoch from there on", () => {
    const chain = new TestChain(["harvester"], { totalVotingBalanceCalculationFix: 4 });
    chain.send("harvester", votingLink(3, 100));
    const counts = [];
    for (; chain.state.height < 82; chain.skip(1)) {
      const { height } = chain.state;
      if ([3, 4, 80, 81].includes(height))
        counts.push([height, chain.state.importanceCounts().votingEligibleAccountsCount]);
    }
    expect(counts).toEqual([
      [3, 1],
      [4, 0],
      [80, 1],
      [81, 1],
    ]);
  });
});

test("the factor of rental fees is the upper median of the last blocks, where the default replaces zeros and missing blocks", () => {
  const { config } = new TestChain([]).state;
  const of = (count: number, recent: readonly number[]) =>
    dynamicFeeMultiplier({ ...config, maxDifficultyBlocks: count, defaultDynamicFeeMultiplier: 50 }, recent);
  expect(of(4, [])).toBe(50);
  expect(of(4, [1, 2, 60, 70])).toBe(60);
  expect(of(5, [1, 2, 60, 70, 80])).toBe(60);
  expect(of(4, [0, 0, 60, 70])).toBe(60);
  expect(of(4, [0, 0, 0, 70])).toBe(50);
  expect(of(4, [1, 1])).toBe(50);
  expect(of(1, [0xffff_ffff])).toBe(0xffff_ffff);
});

test("an account below the minimum to harvest has its former importances after a restart, which count above it", async () => {
  const chain = new TestChain(["harvester", "alice"]);
  const give = (from: string, to: string, amount: bigint) =>
    chain.mine(chain.transaction(from, transfer(to, [[HARVESTING, amount]])));
  give("harvester", "alice", 1_000n);
  chain.skip(40 - chain.state.height);
  give("alice", "harvester", 501n);
  chain.skip(61 - chain.state.height);
  const store = new StateStore();
  for (const { height, executed } of chain.mined) store.apply(height, executed.changes);
  const basis = { height: 61, finalizedHeight: 1, feeMultipliers: [], confirmed: [] };
  const loaded = await ChainState.load(chain.state.config, basis, store);
  const historyIn = ({ tables }: ChainState) => {
    const { importances, activity } = tables.accounts.require(account("alice").address);
    return { importances, activity };
  };
  expect(historyIn(loaded)).toEqual(historyIn(chain.state));
  expect(historyIn(loaded).importances.map(({ height }) => height)).toEqual([0, 40, 20]);
});
