import { isPublicKey } from "../../catapult/crypto/signature.js";
import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import type { PublicKey } from "../standard/schemas.js";

const CURVE = "edwards25519";
/** A transaction has up to 100 senders and 25 signers; each key takes a tenth of a millisecond. */
const MAX_KEYS = 125;

/** Finds the public key (32 bytes) of an address. @throws MeshError missingPublicKey */
export type KeyOf = (address: Buffer) => Buffer;

/**
 * The bytes (32) of a public key.
 * @throws MeshError unsupportedCurve, or invalidPublicKey for what is no point of the curve
 */
export function readPublicKey({ curve_type: curve, hex_bytes: digits }: PublicKey, member: string): Buffer {
  if (curve !== CURVE) throw new MeshError("unsupportedCurve", { member: `${member}.curve_type`, supported: CURVE });
  const bytes = /^[0-9A-Fa-f]{64}$/.test(digits) ? Buffer.from(digits, "hex") : undefined;
  if (bytes && isPublicKey(bytes)) return bytes;
  throw new MeshError("invalidPublicKey", { member: `${member}.hex_bytes` });
}

/** Looks keys of a request up by their addresses. @throws MeshError for an invalid key */
export function keysByAddress(keys: readonly PublicKey[], network: NetworkFacts): KeyOf {
  if (keys.length > MAX_KEYS)
    throw invalidMember("public_keys", `must be at most ${MAX_KEYS}, they are ${keys.length}`);
  const known = new Map<string, Buffer>();
  for (const [index, key] of keys.entries()) {
    const bytes = readPublicKey(key, `public_keys[${index}]`);
    known.set(addressOfPublicKey(bytes, network.addressPrefix).toString("hex"), bytes);
  }
  return (address) => {
    const key = known.get(address.toString("hex"));
    if (key) return key;
    throw new MeshError("missingPublicKey", { account: encodeAddress(address) });
  };
}
