import { hash } from "node:crypto";
import { EntityError } from "./entity-error.js";

/** Bytes of an address: network byte, 20 bytes of hash, 3 bytes of checksum. */
export const ADDRESS_SIZE = 24;
const ENCODED_SIZE = 39;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));

const MAX_CACHED_ADDRESSES = 16384;
/** By public key (latin1), by network: a key made of both would be a new string to hash each time. */
const cachedAddresses = new Map<number, Map<string, Buffer>>();

function checksum(body: Buffer): Buffer {
  return hash("sha3-256", body, "buffer").subarray(0, 3);
}

/**
 * The address (24 bytes) of a public key (32 bytes) on the network with this identifier byte. The buffer is shared
 * and must not be modified.
 */
export function addressOfPublicKey(publicKey: Buffer, networkIdentifier: number): Buffer {
  let cached = cachedAddresses.get(networkIdentifier);
  if (cached === undefined) {
    cached = new Map();
    cachedAddresses.set(networkIdentifier, cached);
  }
  const name = publicKey.toString("latin1");
  let address = cached.get(name);
  if (address === undefined) {
    const digest = hash("ripemd160", hash("sha3-256", publicKey, "buffer"), "buffer");
    const body = Buffer.concat([Buffer.of(networkIdentifier), digest]);
    address = Buffer.concat([body, checksum(body)]);
    if (cached.size >= MAX_CACHED_ADDRESSES) cached.clear();
    cached.set(name, address);
  }
  return address;
}

/** The text form of an address: 39 characters of base32. Throws `EntityError` when it does not have 24 bytes. */
export function encodeAddress(address: Buffer): string {
  if (address.length !== ADDRESS_SIZE) throw new EntityError("address", `has ${address.length} bytes instead of 24`);
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of address) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return text + ALPHABET[(value << (5 - bits)) & 31];
}

/**
 * The 24 bytes of the first 192 bits of 39 base32 characters, and whether the three bits after them are zero, as they
 * must be. No checksum is verified. Throws `EntityError` for another text.
 */
export function readBase32(text: string): { readonly address: Buffer; readonly isExact: boolean } {
  if (text.length !== ENCODED_SIZE)
    throw new EntityError("address", `has ${text.length} characters instead of ${ENCODED_SIZE}`);
  const address = Buffer.alloc(ADDRESS_SIZE);
  let bits = 0;
  let value = 0;
  let offset = 0;
  for (const character of text) {
    const digit = DIGITS.get(character);
    if (digit === undefined)
      throw new EntityError("address", `contains '${character}', which is not a base32 character`);
    value = (value << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      address[offset++] = value >>> bits;
      value &= (1 << bits) - 1;
    }
  }
  return { address, isExact: value === 0 };
}

function decodeBase32(text: string): Buffer {
  const { address, isExact } = readBase32(text);
  if (!isExact) throw new EntityError("address", "has bits after its 24 bytes");
  return address;
}

/** Whether these 24 bytes are an account's address: its checksum is valid. */
export function isValidAddress(address: Buffer): boolean {
  return address.length === ADDRESS_SIZE && checksum(address.subarray(0, 21)).equals(address.subarray(21));
}

/**
 * Decodes the text form of an account's address (39 characters of base32). Throws `EntityError` when it is malformed,
 * has an invalid checksum, or belongs to another network.
 */
export function decodeAddress(text: string, networkIdentifier?: number): Buffer {
  const address = decodeBase32(text);
  if (!isValidAddress(address)) throw new EntityError("address", "has an invalid checksum");
  if (networkIdentifier !== undefined && address[0] !== networkIdentifier)
    throw new EntityError("address", `is of network ${address[0]} instead of ${networkIdentifier}`);
  return address;
}

/** Like `decodeAddress`, but also accepts the alias form (a namespace id in place of an account). */
export function decodeUnresolvedAddress(text: string, networkIdentifier: number): Buffer {
  const address = decodeBase32(text);
  const isAlias = address[0] === (networkIdentifier | 1) && address.subarray(9).every((byte) => byte === 0);
  return isAlias ? address : decodeAddress(text, networkIdentifier);
}

/** Whether an unresolved address is a namespace alias: the lowest bit of its first byte is set. */
export function isAliasAddress(address: Buffer): boolean {
  return ((address[0] ?? 0) & 1) === 1;
}

/** Ids of namespaces have this bit, ids of mosaics do not. */
export const NAMESPACE_BIT = 1n << 63n;

/** Whether an unresolved mosaic id is a namespace alias. */
export function isAliasMosaic(id: bigint): boolean {
  return (id & NAMESPACE_BIT) !== 0n;
}

/** The unresolved address (24 bytes) of a namespace alias. */
export function encodeAliasAddress(namespaceId: bigint, networkIdentifier: number): Buffer {
  const address = Buffer.alloc(ADDRESS_SIZE);
  address[0] = networkIdentifier | 1;
  address.writeBigUInt64LE(namespaceId, 1);
  return address;
}

/** The namespace of an alias address. Throws `EntityError` when the address is an account's. */
export function decodeNamespaceId(address: Buffer): bigint {
  if (address.length !== ADDRESS_SIZE || !isAliasAddress(address))
    throw new EntityError("address", "is not a namespace alias");
  return address.readBigUInt64LE(1);
}
