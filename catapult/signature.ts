import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const ZERO_KEY = Buffer.alloc(32);

/** Parsed keys are kept because a chain is signed by few accounts, and parsing costs a fifth of a verification. */
const MAX_CACHED_KEYS = 4096;
const cachedKeys = new Map<string, KeyObject>();

function publicKeyObject(publicKey: Buffer): KeyObject {
  const name = publicKey.toString("latin1");
  let key = cachedKeys.get(name);
  if (key === undefined) {
    key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
    if (cachedKeys.size >= MAX_CACHED_KEYS) cachedKeys.clear();
    cachedKeys.set(name, key);
  }
  return key;
}

/**
 * Whether `signature` (64 bytes) is an Ed25519 signature of `data` by `publicKey` (32 bytes).
 * Never throws: keys and signatures that are none, and the zero key (known to be weak), give false.
 */
export function verifySignature(publicKey: Buffer, data: Buffer, signature: Buffer): boolean {
  if (publicKey.length !== 32 || signature.length !== 64 || publicKey.equals(ZERO_KEY)) return false;
  try {
    return verify(null, data, publicKeyObject(publicKey), signature);
  } catch {
    return false;
  }
}

function privateKeyObject(privateKey: Buffer): KeyObject {
  if (privateKey.length !== 32) throw new RangeError(`a private key has 32 bytes, not ${privateKey.length}`);
  return createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, privateKey]), format: "der", type: "pkcs8" });
}

/** Signs `data` with a private key (32 bytes, the Ed25519 seed); gives 64 bytes. Throws `RangeError` on another key size. */
export function signData(privateKey: Buffer, data: Buffer): Buffer {
  return sign(null, data, privateKeyObject(privateKey));
}

/** The public key (32 bytes) of a private key (32 bytes). Throws `RangeError` on another size. */
export function publicKeyOf(privateKey: Buffer): Buffer {
  const spki = createPublicKey(privateKeyObject(privateKey)).export({ format: "der", type: "spki" });
  return spki.subarray(SPKI_PREFIX.length);
}
