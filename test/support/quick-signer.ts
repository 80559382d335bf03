import { createPrivateKey, sign } from "node:crypto";
import { derivePublicKey } from "../../catapult/crypto/signature.js";
import type { Signer } from "../../devnet/network/signer.js";

const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

/** A signer (private key: 32 bytes) that caches its parsed key, since parsing takes longer than signing. */
export function quickSigner(privateKey: Buffer): Signer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, privateKey]), format: "der", type: "pkcs8" });
  return { publicKey: derivePublicKey(privateKey), privateKey, sign: (data) => sign(null, data, key) };
}
