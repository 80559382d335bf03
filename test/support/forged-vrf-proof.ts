import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import type { VrfProof } from "../../catapult/crypto/vrf.js";

const { Point } = ed25519;
const ORDER = Point.Fn.ORDER;
const ZEROS = new Uint8Array(32);

/**
 * A proof that needs no private key, for a public key that is no point of the curve's main subgroup: nodes compute with
 * zeros in its place unless they check the key, so a harvester may choose the value. `choice` changes it.
 */
export function forgedVrfProof(alpha: Buffer, publicKey: Buffer, choice: bigint): VrfProof {
  const base = mappedPoint(alpha, publicKey);
  const random = 12_345n;
  const gamma = base.multiply(choice);
  const verificationHash = hashOf(2, base.toBytes(), gamma.toBytes(), ZEROS, base.multiply(random).toBytes());
  const challenge = littleEndian(verificationHash.subarray(0, 16));
  const scalar = (random + challenge * choice) % ORDER;
  return {
    gamma: Buffer.from(gamma.toBytes()),
    verificationHash: verificationHash.subarray(0, 16),
    scalar: Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse(),
  };
}

function hashOf(action: number, ...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha512").update(Buffer.of(3, action));
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function mappedPoint(alpha: Buffer, publicKey: Buffer) {
  for (let counter = 0; ; ++counter) {
    const bytes = hashOf(1, publicKey, alpha, Buffer.of(counter)).subarray(0, 32);
    try {
      return Point.fromBytes(bytes).double().double().double();
    } catch {
      // not on the curve: the next one may be
    }
  }
}

function littleEndian(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}
