import { describe, expect, test } from "@jest/globals";
import { nextDifficulty } from "../../ledger/header/difficulty.js";
import { computeHit, computeTarget } from "../../ledger/header/hit.js";

const START = 10n ** 14n;
const rules = { blockGenerationTargetTime: 30_000 };

/** The difficulty after blocks of one difficulty, at a constant distance. */
function difficultyAfter(blocks: number, milliseconds: number, difficulty = START): bigint {
  const statistics = Array.from({ length: blocks }, (_, index) => ({ timestamp: index * milliseconds, difficulty }));
  return nextDifficulty(statistics, rules);
}

describe("the difficulty of a block", () => {
  test("is the first one until there are two blocks", () => {
    expect([difficultyAfter(0, 1), difficultyAfter(1, 1, 7n * START)]).toEqual([START, START]);
  });

  test("is the average, scaled by the target time, both rounded down", () => {
    expect(difficultyAfter(60, 30_000)).toBe(START);
    expect(difficultyAfter(60, 29_000)).toBe((START * 30n) / 29n);
    expect(
      nextDifficulty(
        [
          { timestamp: 0, difficulty: START },
          { timestamp: 30_000, difficulty: START + 1n },
        ],
        rules,
      ),
    ).toBe(START);
  });

  test("changes by a twentieth at most, of the last one", () => {
    const odd = START + 7n;
    expect(difficultyAfter(60, 1_000, odd)).toBe((odd * 21n) / 20n);
    expect(difficultyAfter(60, 60_000, odd)).toBe((odd * 19n) / 20n);
    expect(
      nextDifficulty(
        [
          { timestamp: 0, difficulty: 9n * START },
          { timestamp: 30_000, difficulty: START },
        ],
        rules,
      ),
    ).toBe((START * 21n) / 20n);
  });

  test("wraps at 64 bits where blocks are meant to come more than 15 minutes apart", () => {
    const slow = { blockGenerationTargetTime: 1_000_000 };
    const difficulty = 10n * START;
    const seconds = [0, 1_000].map((timestamp) => ({ timestamp, difficulty }));
    // 20 times 10^18
    expect(20n * difficulty * 1_000n).toBeGreaterThan(2n ** 64n);
    expect(BigInt.asUintN(64, 20n * difficulty * 1_000n)).toBeGreaterThan(21n * difficulty);
    expect(nextDifficulty(seconds, slow)).toBe(difficulty);
    const wrapping = { blockGenerationTargetTime: 923_000 };
    expect(BigInt.asUintN(64, 20n * difficulty * 923n)).toBeLessThan(19n * difficulty);
    expect(nextDifficulty(seconds, wrapping)).toBe((difficulty * 19n) / 20n);
  });

  test("is never below a tenth of the first one, nor above ten times it", () => {
    expect(difficultyAfter(60, 60_000, START / 10n)).toBe(START / 10n);
    expect(difficultyAfter(60, 1_000, 10n * START)).toBe(10n * START);
    expect(difficultyAfter(60, 60_000, START / 10n + 1n)).toBe(START / 10n);
    expect(difficultyAfter(60, 1_000, 10n * START - 1n)).toBe(10n * START);
  });
});

describe("a hit", () => {
  /** A hash that begins with a number of zero bits, and has ones up to its end. */
  const withZeros = (zeros: number) =>
    Buffer.from((2n ** BigInt(256 - zeros) - 1n).toString(16).padStart(64, "0"), "hex");

  test("is 0 for 32 ones after the leading zeros, and the largest number for 32 zeros at the end", () => {
    expect([0, 1, 7, 8, 223, 224].map((zeros) => computeHit(withZeros(zeros)))).toEqual(
      Array.from({ length: 6 }, () => 0n),
    );
    expect(computeHit(withZeros(225))).toBeGreaterThan(0n);
    expect(computeHit(Buffer.alloc(32))).toBe(2n ** 64n - 1n);
  });

  test("grows by the logarithm of 2 with each leading zero", () => {
    const one = (zeros: number) => Buffer.from((2n ** BigInt(255 - zeros)).toString(16).padStart(64, "0"), "hex");
    const step = computeHit(one(1)) - computeHit(one(0));
    for (const zeros of [8, 100, 223, 224, 254])
      expect(Number(computeHit(one(zeros + 1)) - computeHit(one(zeros)) - step)).toBeLessThanOrEqual(1);
  });
});

describe("a target", () => {
  const network = { ...rules, blockTimeSmoothingFactor: 3_000, totalChainImportance: 7_842_928_625_000_000n };
  const of = (milliseconds: number, importance = 10n ** 12n) => computeTarget(milliseconds, START, importance, network);

  test("counts whole seconds: within the first one, and before the parent, nothing hits", () => {
    expect([of(-1), of(0), of(999)]).toEqual([0n, 0n, 0n]);
    expect(of(20_999)).toBe(of(20_000));
    expect(of(30_000, 0n)).toBe(0n);
  });

  test("is smoothed between a factor of 0 for far too early blocks and of 100 for late ones", () => {
    const factor = (seconds: number) =>
      Number(of(seconds * 1_000)) /
      Number(computeTarget(seconds * 1_000, START, 10n ** 12n, { ...network, blockTimeSmoothingFactor: 0 }));
    expect(factor(30)).toBeCloseTo(1, 3);
    expect(factor(76)).toBeLessThan(100);
    expect(factor(77)).toBeCloseTo(100, 9);
    expect(factor(10_000)).toBeCloseTo(100, 9);
    const steep = { ...network, blockTimeSmoothingFactor: 60_000 };
    expect(computeTarget(20_000, START, 10n ** 12n, steep)).toBe(0n);
  });

  test("has a smoothing factor of 16 bits", () => {
    const smoothed = (blockTimeSmoothingFactor: number) =>
      computeTarget(25_000, START, 10n ** 12n, { ...network, blockTimeSmoothingFactor });
    expect(smoothed(65_536 + 3_000)).toBe(smoothed(3_000));
    expect(smoothed(65_535)).not.toBe(smoothed(3_000));
  });
});
