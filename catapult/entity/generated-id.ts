import { hash } from "node:crypto";
import { NAMESPACE_BIT } from "./address.js";

/**
 * The id of the mosaic that an account (address of 24 bytes) defines with a nonce (32 bits): the first 8 bytes
 * (little-endian) of SHA3-256(nonce ‖ address), with the highest bit cleared. Source: `catapult/model/IdGenerator`.
 */
export function generateMosaicId(ownerAddress: Buffer, nonce: number): bigint {
  const nonceBytes = Buffer.alloc(4);
  nonceBytes.writeUInt32LE(nonce);
  return firstNumber(Buffer.concat([nonceBytes, ownerAddress])) & ~NAMESPACE_BIT;
}

/**
 * The id of the namespace with one part of a name below a parent (0 for a root): the first 8 bytes (little-endian) of
 * SHA3-256(parent id ‖ part), with the highest bit set. Source: `catapult/model/IdGenerator`.
 */
export function generateNamespaceId(part: string | Buffer, parentId = 0n): bigint {
  const parent = Buffer.alloc(8);
  parent.writeBigUInt64LE(parentId);
  return firstNumber(Buffer.concat([parent, typeof part === "string" ? Buffer.from(part) : part])) | NAMESPACE_BIT;
}

function firstNumber(bytes: Buffer): bigint {
  return hash("sha3-256", bytes, "buffer").readBigUInt64LE(0);
}

const MAX_DEPTH = 3;
/** One part of a name (`namespace::IsValidName` of catapult). */
const PART = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The id of the namespace with a full name such as `symbol.xym`, or undefined if no namespace can have the name. */
export function namespaceIdOfName(name: string): bigint | undefined {
  const parts = name.split(".");
  if (parts.length > MAX_DEPTH || !parts.every((part) => PART.test(part))) return undefined;
  return parts.reduce((parentId, part) => generateNamespaceId(part, parentId), 0n);
}
