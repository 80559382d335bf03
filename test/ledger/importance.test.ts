import { expect, test } from "@jest/globals";
import { importanceShares } from "../../ledger/tables/importance.js";

const XYM = 1_000_000n;

/** The numbers of the public main network. */
const MAIN_NETWORK = {
  totalChainImportance: 7_842_928_625n * XYM,
  importanceActivityPercentage: 5n,
  minHarvesterBalance: 10_000n * XYM,
};

function candidate(balance: bigint, feesPaid: bigint, beneficiaryCount: bigint) {
  const address = Buffer.alloc(24);
  return { address, balance: balance * XYM, feesPaid: feesPaid * XYM, beneficiaryCount, previousImportance: 0n };
}

// The expected numbers are those of the node's formulas, compiled with its integer types.
test("the product of an activity and the target wraps at 64 bits", () => {
  const accounts = [candidate(2_000_000n, 0n, 300n), candidate(500_000n, 0n, 419n), candidate(3_000_000n, 0n, 0n)];
  const shares = [2_709_375_345_455_116n, 677_343_842_334_393n, 4_064_063_014_772_727n];
  expect(importanceShares(accounts, MAIN_NETWORK)).toEqual(shares);
});

test("the product of fees wraps at 128 bits", () => {
  const accounts = [candidate(2_000_000n, 200_000n, 0n), candidate(3_000_000n, 300n, 5n)];
  expect(importanceShares(accounts, MAIN_NETWORK)).toEqual([2_980_312_890_679_782n, 4_470_469_322_698_095n]);
});

test("without any activity the stake has the whole share", () => {
  const accounts = [candidate(1n, 0n, 0n), candidate(3n, 0n, 0n)];
  const config = { ...MAIN_NETWORK, totalChainImportance: 1_000_000n };
  expect(importanceShares(accounts, config)).toEqual([250_000n, 750_000n]);
});

test("without any activity a stake above 2^64 / 100 wraps", () => {
  const config = { ...MAIN_NETWORK, totalChainImportance: 200_000_000_000_000_000n };
  const stake = (config.totalChainImportance * 95n) / 100n;
  expect(importanceShares([candidate(1n, 0n, 0n)], config)).toEqual([BigInt.asUintN(64, stake * 100n) / 95n]);
  expect(stake * 100n).toBeGreaterThan(2n ** 64n);
});
