import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const ZERO_KEY = Buffer.alloc(32);

/** Parses keys, and caches the last ones: a chain is signed by few accounts, and parsing costs more than signing. */
class KeyCache {
  readonly #parse: (bytes: Buffer) => KeyObject;
  readonly #maxSize: number;
  readonly #keys = new Map<string, KeyObject>();

  constructor(maxSize: number, parse: (bytes: Buffer) => KeyObject) {
    this.#maxSize = maxSize;
    this.#parse = parse;
  }

  get(bytes: Buffer): KeyObject {
    const name = bytes.toString("latin1");
    let key = this.#keys.get(name);
    if (key === undefined) {
      key = this.#parse(bytes);
      if (this.#keys.size >= this.#maxSize) this.#keys.clear();
      this.#keys.set(name, key);
    }
    return key;
  }
}

const publicKeys = new KeyCache(4096, (bytes) =>
  createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: "der", type: "spki" }),
);
const privateKeys = new KeyCache(64, (bytes) =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, bytes]), format: "der", type: "pkcs8" }),
);

/**
 * Whether `signature` (64 bytes) is an Ed25519 signature of `data` by `publicKey` (32 bytes). Never throws: invalid
 * keys and signatures, and the zero key (known to be weak), return false. Nodes verify signatures in batches, which
 * accept some that a single verification rejects: see `isNeutral`.
 */
export function verifySignature(publicKey: Buffer, data: Buffer, signature: Buffer): boolean {
  if (!mayBeValid(publicKey, signature)) return false;
  try {
    return verify(null, data, publicKeys.get(publicKey), signature) || verifyNeutral(publicKey, data, signature);
  } catch {
    return false;
  }
}

/** The same, by a thread of Node.js: for many signatures, while this thread does other work. */
export async function verifySignatureAside(publicKey: Buffer, data: Buffer, signature: Buffer): Promise<boolean> {
  if (!mayBeValid(publicKey, signature)) return false;
  try {
    const key = publicKeys.get(publicKey);
    const isValid = await new Promise<boolean>((resolve, reject) => {
      verify(null, data, key, signature, (error, valid) => (error ? reject(error) : resolve(valid)));
    });
    return isValid || verifyNeutral(publicKey, data, signature);
  } catch {
    return false;
  }
}

function mayBeValid(publicKey: Buffer, signature: Buffer): boolean {
  return publicKey.length === 32 && signature.length === 64 && !publicKey.equals(ZERO_KEY);
}

/** The neutral point of the curve, without its sign bit. */
const NEUTRAL = Buffer.from(`01${"00".repeat(31)}`, "hex");

/**
 * Whether a signature's point is the neutral one, with or without a sign. With a sign, a node that verifies a single
 * signature compares bytes, and rejects it; one that verifies at least four together compares points, and accepts it. So
 * it may be in a block. Without a sign, nodes accept it; OpenSSL 3.0 does too, 3.5 (Node 24) does not.
 * Source: catapult's `crypto/Signer` (`Verify`, `VerifyBatches`), `CryptoUtils` (`UnpackNegative`).
 */
export function isNeutral(signature: Buffer): boolean {
  return signature.subarray(0, 31).equals(NEUTRAL.subarray(0, 31)) && (signature[31]! & 0x7f) === 0;
}

/** For a signature whose point is neutral, the equation of a batch with this one alone: scalar times base = hash times key. */
function verifyNeutral(publicKey: Buffer, data: Buffer, signature: Buffer): boolean {
  if (!isNeutral(signature)) return false;
  const { Point } = ed25519;
  const scalar = littleEndian(signature.subarray(32));
  if (scalar >= Point.Fn.ORDER) return false;
  const key = Point.fromBytes(publicKey);
  const digest = createHash("sha512").update(signature.subarray(0, 32)).update(publicKey).update(data).digest();
  const factor = littleEndian(digest) % Point.Fn.ORDER;
  return key.isTorsionFree() && Point.BASE.multiplyUnsafe(scalar).equals(key.multiplyUnsafe(factor));
}

/** Bytes as a little-endian number. */
export function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
}

/** Whether these bytes (32) are a point of the curve, and so may be a public key. */
export function isPublicKey(bytes: Buffer): boolean {
  if (bytes.length !== 32 || bytes.equals(ZERO_KEY)) return false;
  try {
    return !ed25519.Point.fromBytes(bytes).isSmallOrder();
  } catch {
    return false;
  }
}

function privateKeyObject(privateKey: Buffer): KeyObject {
  if (privateKey.length !== 32) throw new RangeError(`a private key has 32 bytes, not ${privateKey.length}`);
  return privateKeys.get(privateKey);
}

/**
 * Signs `data` with a private key (32 bytes, the Ed25519 seed); returns 64 bytes. Throws `RangeError` for another key
 * size.
 */
export function signData(privateKey: Buffer, data: Buffer): Buffer {
  return sign(null, data, privateKeyObject(privateKey));
}

/** The public key (32 bytes) of a private key (32 bytes). Throws `RangeError` on another size. */
export function derivePublicKey(privateKey: Buffer): Buffer {
  const spki = createPublicKey(privateKeyObject(privateKey)).export({ format: "der", type: "spki" });
  return spki.subarray(SPKI_PREFIX.length);
}
