import { verifySignature } from "../../catapult/crypto/signature.js";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { buildAccount } from "../standard/amounts.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import type { AccountIdentifier, Signature, SigningPayload } from "../standard/schemas.js";
import type { Signer } from "./decode.js";
import { readPublicKey } from "./public-keys.js";

const SIGNATURE_TYPE = "ed25519";

/** Who signs which bytes. */
export type Signing = Pick<Signer, "publicKey" | "address" | "signingBytes">;

/** The accounts of signers. */
export function buildAccounts(signers: readonly Pick<Signer, "address">[]): AccountIdentifier[] {
  return signers.map(({ address }) => buildAccount(address));
}

/** What an account is to sign. */
export function signingPayload(signing: Signing): SigningPayload {
  return {
    account_identifier: buildAccount(signing.address),
    hex_bytes: hex(signing.signingBytes),
    signature_type: SIGNATURE_TYPE,
  };
}

/**
 * The signatures (64 bytes) of a request by the accounts that are to sign, in the same order; undefined for those that
 * did not.
 * @throws MeshError for a signature that none of them made
 */
export function signaturesOf<One extends Signing>(
  signings: readonly One[],
  signatures: readonly Signature[],
): ReadonlyMap<One, Buffer> {
  const found = new Map<One, Buffer>();
  for (const [index, signature] of signatures.entries()) {
    const member = `signatures[${index}]`;
    const signing = findSigning(signings, signature, member);
    if (found.has(signing)) throw invalidMember(member, "is the second of one account");
    found.set(signing, signatureBytes(signing, signature, member));
  }
  return found;
}

function findSigning<One extends Signing>(signings: readonly One[], signature: Signature, member: string): One {
  if (signature.signature_type !== SIGNATURE_TYPE) {
    throw new MeshError("unsupportedCurve", { member: `${member}.signature_type`, supported: SIGNATURE_TYPE });
  }
  const publicKey = readPublicKey(signature.public_key, `${member}.public_key`);
  const signing = signings.find((one) => one.publicKey.equals(publicKey));
  if (signing) return signing;
  throw new MeshError("invalidSignature", {
    member,
    problem: "is of an account that is not to sign now",
    expected: signings.map((one) => encodeAddress(one.address)),
  });
}

function signatureBytes(signing: Signing, { hex_bytes: digits, signing_payload: payload }: Signature, member: string) {
  if (payload.hex_bytes.toUpperCase() !== hex(signing.signingBytes)) {
    throw new MeshError("invalidSignature", { member, problem: "is for another transaction: see signing_payload" });
  }
  const bytes = /^[0-9A-Fa-f]{128}$/.test(digits) ? Buffer.from(digits, "hex") : undefined;
  if (!bytes) throw invalidMember(`${member}.hex_bytes`, "must be 128 hex digits");
  if (verifySignature(signing.publicKey, signing.signingBytes, bytes)) return bytes;
  throw new MeshError("invalidSignature", { member, problem: "does not verify" });
}
