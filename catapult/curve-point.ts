import { FIELD_PRIME, invert, powerForRoot } from "./field-25519.js";

/*
 * Points of the curve that Ed25519 is about, -x^2 + y^2 = 1 + d x^2 y^2 (RFC 8032, section 5.1), as far as each block needs
 * them. Nothing here is secret, so it may take longer for one value than for another.
 */

const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const ROOT_OF_MINUS_ONE = 19681161376707505956807079304988542015446066515923890162744021073123829784752n;
const POINT_SIZE = 32;

interface Point {
  readonly x: bigint;
  readonly y: bigint;
}

function modulo(value: bigint): bigint {
  const rest = value % FIELD_PRIME;
  return rest < 0n ? rest + FIELD_PRIME : rest;
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}

/** @returns undefined where there is no root (RFC 8032, section 5.1.3) */
function squareRootOfQuotient(u: bigint, v: bigint): bigint | undefined {
  const v3 = (((v * v) % FIELD_PRIME) * v) % FIELD_PRIME;
  const v7 = (((v3 * v3) % FIELD_PRIME) * v) % FIELD_PRIME;
  const root = (((u * v3) % FIELD_PRIME) * powerForRoot((u * v7) % FIELD_PRIME)) % FIELD_PRIME;
  const check = (v * ((root * root) % FIELD_PRIME)) % FIELD_PRIME;
  if (check === u) return root;
  if (check === modulo(-u)) return (root * ROOT_OF_MINUS_ONE) % FIELD_PRIME;
  return undefined;
}

function decode(bytes: Uint8Array): Point | undefined {
  if (bytes.length !== POINT_SIZE) return undefined;
  const value = littleEndian(bytes);
  const isOdd = value >> 255n;
  const y = BigInt.asUintN(255, value);
  if (y >= FIELD_PRIME) return undefined;
  const yy = (y * y) % FIELD_PRIME;
  const root = squareRootOfQuotient(modulo(yy - 1n), (D * yy + 1n) % FIELD_PRIME);
  if (root === undefined || (root === 0n && isOdd === 1n)) return undefined;
  return { x: (root & 1n) === isOdd ? root : FIELD_PRIME - root, y };
}

function encode({ x, y }: Point): Buffer {
  const value = y | ((x & 1n) << 255n);
  return Buffer.from(value.toString(16).padStart(2 * POINT_SIZE, "0"), "hex").reverse();
}

/**
 * Eight times a point of the curve, in its 32 bytes.
 * @returns undefined when the bytes are no point in its only form
 */
export function eightTimes(bytes: Uint8Array): Buffer | undefined {
  const point = decode(bytes);
  if (point === undefined) return undefined;
  let { x, y } = point;
  let z = 1n;
  // Doubling where x and y are over z ("dbl-2008-bbjlp" of the Explicit-Formulas Database).
  for (let i = 0; i < 3; ++i) {
    const b = ((x + y) * (x + y)) % FIELD_PRIME;
    const c = (x * x) % FIELD_PRIME;
    const d = (y * y) % FIELD_PRIME;
    const f = d - c;
    const j = f - ((2n * z * z) % FIELD_PRIME);
    x = modulo((b - c - d) * j);
    y = modulo(f * (-c - d));
    z = modulo(f * j);
  }
  const inverse = invert(z);
  return encode({ x: (x * inverse) % FIELD_PRIME, y: (y * inverse) % FIELD_PRIME });
}
