import { verifySignature } from "../../catapult/crypto/signature.js";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import type { CosignatureIntent } from "./intent.js";
import type { KeyOf } from "./public-keys.js";
import type { Signing } from "./signing-payloads.js";
import { DETACHED_COSIGNATURE_SIZE, type TransactionText } from "./transaction-text.js";

const PUBLIC_KEY = 8;
const SIGNATURE = 40;
const HASH = 104;

/** A cosignature that is not in its aggregate. */
export interface DetachedCosignature extends Signing {
  /** 64 bytes; undefined if it is still missing. */
  readonly signature: Buffer | undefined;
  /** 32 bytes; it is what is signed. */
  readonly aggregateHash: Buffer;
}

/** A cosignature without its signature. @throws MeshError missingPublicKey */
export function unsignedCosignature(
  { cosigner, aggregateHash }: CosignatureIntent,
  keyOf: KeyOf,
): { readonly text: TransactionText; readonly signing: Signing } {
  const publicKey = keyOf(cosigner);
  const cosignature = Buffer.alloc(DETACHED_COSIGNATURE_SIZE);
  publicKey.copy(cosignature, PUBLIC_KEY);
  aggregateHash.copy(cosignature, HASH);
  return {
    text: { kind: "cosignature", cosignature },
    signing: { publicKey, address: cosigner, signingBytes: aggregateHash },
  };
}

/** A copy with a signature (64 bytes). */
export function signCosignature(cosignature: Buffer, signature: Buffer): Buffer {
  const bytes = Buffer.from(cosignature);
  signature.copy(bytes, SIGNATURE);
  return bytes;
}

/** @throws MeshError invalidTransaction, or invalidSignature if it has one that does not verify */
export function decodeCosignature(bytes: Buffer, network: NetworkFacts): DetachedCosignature {
  if (bytes.readBigUInt64LE() !== 0n) throw new MeshError("invalidTransaction", { problem: "its version is not 0" });
  const publicKey = bytes.subarray(PUBLIC_KEY, SIGNATURE);
  const aggregateHash = bytes.subarray(HASH);
  const signature = bytes.subarray(SIGNATURE, HASH);
  const isSigned = signature.some((byte) => byte !== 0);
  if (isSigned && !verifySignature(publicKey, aggregateHash, signature)) {
    throw new MeshError("invalidSignature", { public_key: hex(publicKey) });
  }
  return {
    publicKey,
    address: addressOfPublicKey(publicKey, network.addressPrefix),
    signingBytes: aggregateHash,
    aggregateHash,
    signature: isSigned ? signature : undefined,
  };
}
