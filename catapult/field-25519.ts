/** The prime 2^255 - 19. */
export const FIELD_PRIME = 2n ** 255n - 19n;

/*
 * Powers are most of the work with points of the curve, and squaring is most of a power. `bigint` makes a new object of
 * each product; here a number is twelve floating point numbers that are added up, each a multiple of 2^START[i] of at most
 * 22 bits: so products, and sums of twelve of them, are exact. The way is that of D. J. Bernstein, "Curve25519: new
 * Diffie-Hellman speed records" (2006), section 3.
 */

const LIMBS = 12;
const START = Array.from({ length: LIMBS + 1 }, (_, index) => Math.ceil(21.25 * index));
/** Added to a limb and taken away again, this rounds it to a multiple of the next limb's unit. */
const R0 = 3 * 2 ** 73;
const R1 = 3 * 2 ** 94;
const R2 = 3 * 2 ** 115;
const R3 = 3 * 2 ** 136;
const R4 = 3 * 2 ** 158;
const R5 = 3 * 2 ** 179;
const R6 = 3 * 2 ** 200;
const R7 = 3 * 2 ** 221;
const R8 = 3 * 2 ** 243;
const R9 = 3 * 2 ** 264;
const R10 = 3 * 2 ** 285;
const R11 = 3 * 2 ** 306;
const ROUNDING = [R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11] as const;
/** 2^255 is 19. */
const FOLD = 19 * 2 ** -255;
/** Limbs that are carried over, one after the other: once around, so that the first is small again too. */
const CARRIED = LIMBS + 2;

/** Of one multiplication at a time. */
const product = new Float64Array(2 * LIMBS);

function toLimbs(value: bigint): Float64Array {
  return Float64Array.from({ length: LIMBS }, (_, index) => {
    const from = START[index] as number;
    const bits = (START[index + 1] as number) - from;
    return Number(BigInt.asUintN(bits, value >> BigInt(from))) * 2 ** from;
  });
}

function fromLimbs(limbs: Float64Array): bigint {
  const sum = limbs.reduce((total, limb) => total + BigInt(limb), 0n);
  const rest = sum % FIELD_PRIME;
  return rest < 0n ? rest + FIELD_PRIME : rest;
}

function multiply(a: Float64Array, b: Float64Array): Float64Array {
  product.fill(0);
  for (let i = 0; i < LIMBS; ++i) {
    const limb = a[i]!;
    for (let j = 0; j < LIMBS; ++j) product[i + j]! += limb * b[j]!;
  }
  const result = new Float64Array(LIMBS);
  for (let k = 0; k < LIMBS; ++k) result[k] = product[k]! + FOLD * product[k + LIMBS]!;
  for (let step = 0; step < CARRIED; ++step) {
    const k = step < LIMBS ? step : step - LIMBS;
    const rounding = ROUNDING[k]!;
    const carry = result[k]! + rounding - rounding;
    result[k]! -= carry;
    if (k === LIMBS - 1) result[0]! += FOLD * carry;
    else result[k + 1]! += carry;
  }
  return result;
}

type TwelveNumbers = [...SixNumbers, ...SixNumbers];
type SixNumbers = [number, number, number, number, number, number];

/** Squared so many times: written out, because it is nearly all of the work. */
function squareTimes(limbs: Float64Array, times: number): Float64Array {
  let [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11] = limbs as unknown as TwelveNumbers;
  for (let i = 0; i < times; ++i) {
    let s0 = a0 * a0 + FOLD * (2 * (a1 * a11 + a2 * a10 + a3 * a9 + a4 * a8 + a5 * a7) + a6 * a6);
    let s1 = 2 * a0 * a1 + FOLD * (2 * (a2 * a11 + a3 * a10 + a4 * a9 + a5 * a8 + a6 * a7));
    let s2 = 2 * a0 * a2 + a1 * a1 + FOLD * (2 * (a3 * a11 + a4 * a10 + a5 * a9 + a6 * a8) + a7 * a7);
    let s3 = 2 * (a0 * a3 + a1 * a2) + FOLD * (2 * (a4 * a11 + a5 * a10 + a6 * a9 + a7 * a8));
    let s4 = 2 * (a0 * a4 + a1 * a3) + a2 * a2 + FOLD * (2 * (a5 * a11 + a6 * a10 + a7 * a9) + a8 * a8);
    let s5 = 2 * (a0 * a5 + a1 * a4 + a2 * a3) + FOLD * (2 * (a6 * a11 + a7 * a10 + a8 * a9));
    let s6 = 2 * (a0 * a6 + a1 * a5 + a2 * a4) + a3 * a3 + FOLD * (2 * (a7 * a11 + a8 * a10) + a9 * a9);
    let s7 = 2 * (a0 * a7 + a1 * a6 + a2 * a5 + a3 * a4) + FOLD * (2 * (a8 * a11 + a9 * a10));
    let s8 = 2 * (a0 * a8 + a1 * a7 + a2 * a6 + a3 * a5) + a4 * a4 + FOLD * (2 * a9 * a11 + a10 * a10);
    let s9 = 2 * (a0 * a9 + a1 * a8 + a2 * a7 + a3 * a6 + a4 * a5) + FOLD * (2 * a10 * a11);
    let s10 = 2 * (a0 * a10 + a1 * a9 + a2 * a8 + a3 * a7 + a4 * a6) + a5 * a5 + FOLD * (a11 * a11);
    let s11 = 2 * (a0 * a11 + a1 * a10 + a2 * a9 + a3 * a8 + a4 * a7 + a5 * a6);
    let carry: number;
    carry = s0 + R0 - R0;
    s0 -= carry;
    s1 += carry;
    carry = s6 + R6 - R6;
    s6 -= carry;
    s7 += carry;
    carry = s1 + R1 - R1;
    s1 -= carry;
    s2 += carry;
    carry = s7 + R7 - R7;
    s7 -= carry;
    s8 += carry;
    carry = s2 + R2 - R2;
    s2 -= carry;
    s3 += carry;
    carry = s8 + R8 - R8;
    s8 -= carry;
    s9 += carry;
    carry = s3 + R3 - R3;
    s3 -= carry;
    s4 += carry;
    carry = s9 + R9 - R9;
    s9 -= carry;
    s10 += carry;
    carry = s4 + R4 - R4;
    s4 -= carry;
    s5 += carry;
    carry = s10 + R10 - R10;
    s10 -= carry;
    s11 += carry;
    carry = s5 + R5 - R5;
    s5 -= carry;
    s6 += carry;
    carry = s11 + R11 - R11;
    s11 -= carry;
    s0 += FOLD * carry;
    carry = s0 + R0 - R0;
    s0 -= carry;
    s1 += carry;
    carry = s6 + R6 - R6;
    s6 -= carry;
    s7 += carry;
    a0 = s0;
    a1 = s1;
    a2 = s2;
    a3 = s3;
    a4 = s4;
    a5 = s5;
    a6 = s6;
    a7 = s7;
    a8 = s8;
    a9 = s9;
    a10 = s10;
    a11 = s11;
  }
  return Float64Array.of(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11);
}

/** `a` to the power of 2^`times`, times `b`. */
function squareAndMultiply(a: Float64Array, times: number, b: Float64Array): Float64Array {
  return multiply(squareTimes(a, times), b);
}

/** `x` to the powers of 11 and of 2^250 - 1, from which the others come. */
function commonPowers(x: Float64Array): { readonly to11: Float64Array; readonly to250: Float64Array } {
  const to9 = squareAndMultiply(x, 3, x);
  const to11 = multiply(to9, squareTimes(x, 1));
  const to5 = squareAndMultiply(to11, 1, to9);
  const to10 = squareAndMultiply(to5, 5, to5);
  const to20 = squareAndMultiply(to10, 10, to10);
  const to40 = squareAndMultiply(to20, 20, to20);
  const to50 = squareAndMultiply(to40, 10, to10);
  const to100 = squareAndMultiply(to50, 50, to50);
  const to200 = squareAndMultiply(to100, 100, to100);
  return { to11, to250: squareAndMultiply(to200, 50, to50) };
}

/** One divided by `x`, modulo the prime; 0 for 0. `x` is from 0 to 2^255. */
export function invert(x: bigint): bigint {
  const { to11, to250 } = commonPowers(toLimbs(x));
  return fromLimbs(squareAndMultiply(to250, 5, to11));
}

/** `x` to the power of (p - 5) / 8 = 2^252 - 3, modulo the prime, of which square roots are made. `x` is from 0 to 2^255. */
export function powerForRoot(x: bigint): bigint {
  const limbs = toLimbs(x);
  return fromLimbs(squareAndMultiply(commonPowers(limbs).to250, 2, limbs));
}
