import { createHash, hash } from "node:crypto";
import { mulAddUnsafe } from "@noble/curves/abstract/curve.js";
import { ed25519 } from "@noble/curves/ed25519.js";
import { LRUCache } from "lru-cache";
import { eightTimes } from "./eight-times.js";
import { derivePublicKey, littleEndian } from "./signature.js";

/** A proof of a verifiable random function: a curve point (32 bytes), 16 bytes of hash, and a scalar (32 bytes). */
export interface VrfProof {
  readonly gamma: Buffer;
  readonly verificationHash: Buffer;
  readonly scalar: Buffer;
}

type Point = InstanceType<typeof ed25519.Point>;

const SUITE = 3;
const ACTION = { mapToPoint: 1, challenge: 2, output: 3 } as const;
const CHALLENGE_SIZE = 16;
const { Point: CurvePoint } = ed25519;
const ORDER = CurvePoint.Fn.ORDER;

function vrfHash(action: number, parts: readonly Uint8Array[]): Buffer {
  return hash("sha512", Buffer.concat([Buffer.of(SUITE, action), ...parts]), "buffer");
}

function scalarBytes(scalar: bigint): Buffer {
  return Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse();
}

function pointFromBytes(bytes: Uint8Array): Point | undefined {
  try {
    return CurvePoint.fromBytes(bytes);
  } catch {
    return undefined;
  }
}

function timesEight(point: Point): Point {
  return point.double().double().double();
}

/** Tries hashes of the input with an increasing counter until one is a point of the curve. */
function mapToPoint(alpha: Buffer, publicKey: Buffer): Point | undefined {
  for (let counter = 0; counter < 256; ++counter) {
    const bytes = vrfHash(ACTION.mapToPoint, [publicKey, alpha, Buffer.of(counter)]).subarray(0, 32);
    const point = pointFromBytes(bytes);
    if (point !== undefined) return timesEight(point);
  }
  return undefined;
}

function challenge(points: readonly Uint8Array[]): Buffer {
  return vrfHash(ACTION.challenge, points).subarray(0, CHALLENGE_SIZE);
}

/**
 * Computes the function and its proof for `alpha` and a private key (32 bytes). Source: catapult's `crypto/Vrf`,
 * which follows draft-irtf-cfrg-vrf (ECVRF-ED25519-SHA512-TAI).
 */
export function generateVrfProof(alpha: Buffer, privateKey: Buffer): VrfProof {
  const publicKey = derivePublicKey(privateKey);
  const base = mapToPoint(alpha, publicKey);
  if (base === undefined) throw new Error("no hash of the input is a point of the curve");
  const baseBytes = base.toBytes();

  const expanded = createHash("sha512").update(privateKey).digest();
  const secret = Buffer.from(expanded.subarray(0, 32));
  secret[0]! &= 0xf8;
  secret[31] = (secret[31]! & 0x7f) | 0x40;
  const x = littleEndian(secret) % ORDER;
  const nonceHash = createHash("sha512").update(expanded.subarray(32)).update(baseBytes).digest();
  const k = littleEndian(nonceHash) % ORDER;

  const gamma = Buffer.from(base.multiply(x).toBytes());
  const verificationHash = challenge([
    baseBytes,
    gamma,
    CurvePoint.BASE.multiply(k).toBytes(),
    base.multiply(k).toBytes(),
  ]);
  const scalar = scalarBytes((k + littleEndian(verificationHash) * x) % ORDER);
  return { gamma, verificationHash, scalar };
}

/** How a proof's public key is checked, see {@link verifyVrfProof}. */
export type VrfKeyCheck = "strict" | "lenient";

const ZEROS = Buffer.alloc(32);
/** The zero bytes as a point; nodes continue with these bytes when a multiplication fails. */
const POINT_OF_ZEROS = CurvePoint.fromBytes(ZEROS);

/**
 * Checks a proof for `alpha` against a VRF public key (32 bytes): returns the function's value (64 bytes, see
 * `vrfProofHash`), or undefined if the proof is invalid. Never throws for data of a stranger.
 *
 * With `lenient`, a key that is not a point of the main subgroup (such as the zeros of an account without a VRF key)
 * does not make a proof invalid: nodes then compute with 32 zero bytes, as before the fork `strictVrfPublicKeyCheck`.
 * Source: `VerifyVrfProof` in catapult's `crypto/Vrf.cpp` (1.0.3.8).
 */
export function verifyVrfProof(
  proof: VrfProof,
  alpha: Buffer,
  publicKey: Buffer,
  keyCheck: VrfKeyCheck = "strict",
): Buffer | undefined {
  const gamma = pointFromBytes(proof.gamma);
  const key = subgroupPoint(publicKey);
  const base = mapToPoint(alpha, publicKey);
  if (gamma === undefined || base === undefined || (key === undefined && keyCheck === "strict")) return undefined;
  if (proof.scalar.length !== 32 || proof.verificationHash.length !== CHALLENGE_SIZE) return undefined;
  const s = littleEndian(proof.scalar);
  if (s >= ORDER) return undefined;
  const c = littleEndian(proof.verificationHash);

  const u = key ? CurvePoint.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(c)).toBytes() : ZEROS;
  const v = gamma.isTorsionFree()
    ? mulAddUnsafe(CurvePoint, [base, gamma.negate()], [s, c])
    : base.multiplyUnsafe(s).subtract(POINT_OF_ZEROS);
  const expected = challenge([base.toBytes(), proof.gamma, u, v.toBytes()]);
  return expected.equals(proof.verificationHash) ? vrfProofHash(proof.gamma) : undefined;
}

/** Points of VRF keys, which harvesters use again: the check is a fifth of the time of {@link verifyVrfProof}. */
const knownKeys = new LRUCache<string, Point>({ max: 5_000 });

function subgroupPoint(bytes: Buffer): Point | undefined {
  const key = bytes.toString("hex");
  const known = knownKeys.get(key);
  if (known) return known;
  const point = pointFromBytes(bytes);
  if (!point?.isTorsionFree()) return undefined;
  knownKeys.set(key, point);
  return point;
}

/**
 * The function's value (64 bytes) for the point of a proof; its first 32 bytes are a block's generation hash. A gamma
 * that is not a point of the curve counts as zero bytes, as in catapult.
 */
export function vrfProofHash(gamma: Buffer): Buffer {
  return vrfHash(ACTION.output, [eightTimes(gamma) ?? ZEROS]);
}
