import { derivePublicKey, signData } from "../../catapult/crypto/signature.js";
import { sha3 } from "../../catapult/entity/hashes.js";

/** An Ed25519 key pair that signs. */
export interface Signer {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** 32 bytes, the seed of the key pair. */
  readonly privateKey: Buffer;
  /** Signs the data. Returns 64 bytes. */
  sign(data: Buffer): Buffer;
}

/** Creates a signer from a private key (32 bytes). */
export function createSigner(privateKey: Buffer): Signer {
  return { publicKey: derivePublicKey(privateKey), privateKey, sign: (data) => signData(privateKey, data) };
}

/** Derives a signer from a development seed and a purpose: the same two result in the same key pair. */
export function deriveSigner(seed: string, purpose: string): Signer {
  return createSigner(deriveBytes(seed, `key:${purpose}`));
}

/** Derives 32 bytes from a development seed and a purpose. */
export function deriveBytes(seed: string, purpose: string): Buffer {
  return sha3(Buffer.from(`symbol-gateway devnet\0${seed}\0${purpose}`));
}
