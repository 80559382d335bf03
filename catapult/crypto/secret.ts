import { createHash } from "node:crypto";

/** Source: catapult's `model/LockHashAlgorithm`. */
const HASH_ALGORITHM = { sha3: 0, hash160: 1, hash256: 2 } as const;

/** Hashes a proof to its secret (32 bytes; shorter hashes are padded with zeros); undefined for an unknown algorithm. */
export function hashSecret(algorithm: number, proof: Uint8Array): Buffer | undefined {
  const digest = (name: string, data: Uint8Array) => createHash(name).update(data).digest();
  switch (algorithm) {
    case HASH_ALGORITHM.sha3:
      return digest("sha3-256", proof);
    case HASH_ALGORITHM.hash160:
      return Buffer.concat([digest("ripemd160", digest("sha256", proof)), Buffer.alloc(12)]);
    case HASH_ALGORITHM.hash256:
      return digest("sha256", digest("sha256", proof));
    default:
      return undefined;
  }
}
