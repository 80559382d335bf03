import type { NetworkConfig } from "../config/network-config.js";

/** Parameters of a target besides the time and the difficulty of a block. */
export type HitRules = Pick<
  NetworkConfig,
  "blockGenerationTargetTime" | "blockTimeSmoothingFactor" | "totalChainImportance"
>;

const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;
const HASH_BITS = 256;
/** Number of significant bits of the generation hash, from its first set bit. */
const SAMPLE_BITS = 32;
const MAX_SAMPLE = 0xffff_ffffn;
/** Hits are natural logarithms times 2^54. */
const FRACTION_BITS = 54;
const LOG2_E = { numerator: 14_426_950_408_889_634n, denominator: 10_000_000_000_000_000n };
/** The original total importance of targets. */
const ORIGINAL_TOTAL_IMPORTANCE = 8_999_999_998n;
const ONE = 1 << 16;
/** Times 2^16: the logarithm to base 2 of 100, the largest multiplier. */
const LOG2_OF_100 = 435_411n;

/**
 * The hit of a generation hash (32 bytes), which must be below the target of its block. Source: `CalculateHit` in
 * catapult's `chain/BlockScorer.cpp`.
 */
export function computeHit(generationHash: Buffer): bigint {
  const value = BigInt(`0x${generationHash.toString("hex")}`);
  const zeros = value === 0n ? HASH_BITS : HASH_BITS - value.toString(2).length;
  const shift = Math.max(0, HASH_BITS - SAMPLE_BITS - zeros);
  const sample = (value >> BigInt(shift)) & MAX_SAMPLE;
  if (sample === 0n) return MAX_UINT64;
  if (sample === MAX_SAMPLE) return 0n;
  const leadingZeros = BigInt(Math.min(zeros, HASH_BITS - SAMPLE_BITS));
  const logarithm = (BigInt(SAMPLE_BITS) + leadingZeros) * (1n << BigInt(FRACTION_BITS)) - log2(sample, FRACTION_BITS);
  return (logarithm * LOG2_E.denominator) / LOG2_E.numerator;
}

/** The logarithm to base 2 of a value below 2^32, times 2^`bits`, by squaring (`utils::Log2TimesPowerOfTwo`). */
function log2(value: bigint, bits: number): bigint {
  const precision = 31n;
  const one = 1n << precision;
  let exponent = precision;
  let mantissa = value;
  for (; mantissa < one; mantissa <<= 1n) exponent -= 1n;
  for (let bit = 0; bit < bits; ++bit) {
    mantissa = (mantissa * mantissa) >> precision;
    exponent <<= 1n;
    if (mantissa < 2n * one) continue;
    mantissa >>= 1n;
    exponent += 1n;
  }
  return exponent;
}

/**
 * The target of a block: the more time has passed since its parent, and the more importance its harvester has, the
 * higher. Source: `CalculateTarget` in catapult's `chain/BlockScorer.cpp`.
 *
 * @param elapsedMs time between the parent and the block, ms; rounded down to seconds
 */
export function computeTarget(elapsedMs: number, difficulty: bigint, importance: bigint, rules: HitRules): bigint {
  if (elapsedMs <= 0) return 0n;
  const seconds = Math.floor(elapsedMs / 1_000);
  const product = BigInt(seconds) * importance * computeMultiplier(seconds, rules) * ORIGINAL_TOTAL_IMPORTANCE;
  return product / rules.totalChainImportance / difficulty;
}

/** Lowers targets of early blocks and raises those of late ones, if the network smoothes block times. */
function computeMultiplier(seconds: number, { blockGenerationTargetTime, blockTimeSmoothingFactor }: HitRules): bigint {
  return BigInt(computeSmoother(seconds, blockGenerationTargetTime, blockTimeSmoothingFactor)) << 48n;
}

function computeSmoother(seconds: number, targetTimeMs: number, smoothingFactor: number): number {
  if (smoothingFactor === 0) return ONE;
  // Shifted once with 32 bits, and once with 128.
  const factor = (BigInt.asUintN(32, BigInt(smoothingFactor) << 16n) << 16n) / (1_000n << 16n);
  const targetTime = BigInt(Math.floor(targetTimeMs / 1_000)) << 16n;
  const power = (((factor * ((BigInt(seconds) << 16n) - targetTime)) / targetTime) * 14_426_950_408n) / 10_000_000_000n;
  if (power < BigInt(-5 * ONE)) return 0;
  if (power > LOG2_OF_100) return 100 * ONE;
  return powerOfTwo(Number(power));
}

/** 2 to the power of `value`, both times 2^16, for -5 to 15 (`utils::FixedPointPowerOfTwo`). */
function powerOfTwo(value: number): number {
  const whole = (value + 0x8000) & ~0xffff;
  const fraction = BigInt(value - whole);
  let result = 0xe20n;
  result = (result * fraction + 0x3e1c_c333n) / 131_072n;
  result = (result * fraction + 0x58bd_46a6n) / 65_536n;
  result = result * fraction + 0x7ffd_e4a3n;
  return Number(BigInt.asUintN(32, result) >> BigInt((15 * ONE - whole) / ONE));
}
