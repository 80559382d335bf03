import { createHash } from "node:crypto";
import { NAMESPACE_BIT } from "./address.js";

const MAX_DEPTH = 3;
/** One part of a name (`namespace::IsValidName` of catapult). */
const PART = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/**
 * The id of the namespace with a full name such as `symbol.xym`, or undefined if no namespace can have the name.
 * Rule: the first 8 bytes (little-endian) of SHA3-256(parent id ‖ part), with the highest bit set
 * (`catapult/model/IdGenerator`).
 */
export function namespaceIdOfName(name: string): bigint | undefined {
  const parts = name.split(".");
  if (parts.length > MAX_DEPTH || !parts.every((part) => PART.test(part))) return undefined;
  return parts.reduce((parentId, part) => {
    const parent = Buffer.alloc(8);
    parent.writeBigUInt64LE(parentId);
    const digest = createHash("sha3-256").update(parent).update(part).digest();
    return digest.readBigUInt64LE(0) | NAMESPACE_BIT;
  }, 0n);
}
