import { constants, createPublicKey, publicEncrypt } from "node:crypto";

/** The field of Curve25519, and the constant of its twisted Edwards form: -x² + y² = 1 + d·x²·y². */
const P = 2n ** 255n - 19n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const SQRT_OF_MINUS_ONE = 19681161376707505956807079304988542015446066515923890162744021073123829784752n;
const SIGN_BIT = 1n << 255n;
const SIZE = 32;

/**
 * A power is what most of the work is, and OpenSSL has it as the raw operation of RSA: `x` to the exponent of a "public key"
 * modulo its modulus. RSA wants 512 bits, so that modulus is a multiple of P, and what comes of it is reduced.
 */
const MODULUS = P * (2n ** 256n + 297n);
const MODULUS_SIZE = 64;
const EXPONENT = (P - 5n) / 8n;
const POWER = {
  key: createPublicKey({
    format: "jwk",
    key: {
      kty: "RSA",
      n: bigEndian(MODULUS, MODULUS_SIZE).toString("base64url"),
      e: bigEndian(EXPONENT, SIZE).toString("base64url"),
    },
  }),
  padding: constants.RSA_NO_PADDING,
};

function bigEndian(value: bigint, size: number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * size, "0"), "hex");
}

/** `value` to the (P - 5) / 8. */
function power(value: bigint): bigint {
  return BigInt(`0x${publicEncrypt(POWER, bigEndian(value, MODULUS_SIZE)).toString("hex")}`) % P;
}

/** 1 / √value; undefined where there is no such root, as of 0. */
function inverseRoot(value: bigint): bigint | undefined {
  const cube = (((value * value) % P) * value) % P;
  const root = (cube * power((((cube * cube) % P) * value) % P)) % P;
  const product = (((root * root) % P) * value) % P;
  if (product === 1n) return root;
  return product === P - 1n ? (root * SQRT_OF_MINUS_ONE) % P : undefined;
}

/**
 * Eight times a point of Ed25519, from its 32 bytes to the same form: what takes a point into the main subgroup. Undefined
 * where the bytes are no point: y is not below P, no x belongs to it, or x is 0 and its sign is set.
 *
 * One power gives both the root for x and the inverse of the denominators. With x = t / v, where t² = u·v, u = y² - 1 and
 * v = d·y² + 1, doubling needs t² only; so X = t·n, Y and Z are doubled three times before t is known.
 */
export function eightTimes(bytes: Uint8Array): Buffer | undefined {
  const encoded = BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
  const sign = encoded >> 255n;
  const y = encoded % SIGN_BIT;
  if (bytes.length !== SIZE || y >= P) return undefined;
  const ySquared = (y * y) % P;
  const u = ySquared - 1n;
  const v = (D * ySquared + 1n) % P;
  if (u === 0n) return sign === 0n ? encode(0n, 1n) : undefined;
  const q = (((u * v) % P) + P) % P;

  let [n, Y, Z] = [1n, (y * v) % P, v];
  for (let doubling = 0; doubling < 3; ++doubling) {
    const C = (((n * n) % P) * q) % P;
    const E = (Y * Y) % P;
    const F = E - C;
    const J = (F - 2n * Z * Z) % P;
    [n, Y, Z] = [(((2n * n * Y) % P) * J) % P, (-F * (C + E)) % P, (F * J) % P];
  }

  const product = (Z * v) % P;
  const root = inverseRoot((((((product * product) % P) * q) % P) + P) % P);
  if (root === undefined) return undefined;
  // root² = 1 / (q·Z²·v²) and q·root = √q / (Z·v), which is t / (Z·v) = x / Z, or its negative.
  const rootSquaredTimesQ = (((root * root) % P) * q) % P;
  const inverseOfZ = (((rootSquaredTimesQ * product) % P) * v) % P;
  const xOverZ = (q * root) % P;
  const x = positive((xOverZ * Z) % P);
  const tOverZ = (xOverZ * v) % P;
  const eightX = (x & 1n) === sign ? tOverZ * n : -tOverZ * n;
  return encode(positive(eightX % P), positive((Y * inverseOfZ) % P));
}

function positive(value: bigint): bigint {
  return value < 0n ? value + P : value;
}

function encode(x: bigint, y: bigint): Buffer {
  return bigEndian((x & 1n) === 1n ? y | SIGN_BIT : y, SIZE).reverse();
}
