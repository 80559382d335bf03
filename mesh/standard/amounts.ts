import { encodeAddress } from "../../catapult/entity/address.js";
import { parseAddress, parseHex } from "../../schema/graph/formats.js";
import { invalidMember, MeshError } from "./errors.js";
import type { NetworkFacts } from "./network.js";
import type { AccountIdentifier, Amount, Currency } from "./schemas.js";

const MOSAIC_ID = /^[0-9A-F]{16}$/;
const HASH_BYTES = 32;

/**
 * The currency of a mosaic. Its symbol is the mosaic's id, as names can be given to other mosaics later; only the
 * mosaic of fees has the name that the first block gives it.
 * @param mosaicId 16 upper-case hex digits
 */
export function buildCurrency(mosaicId: string, decimals: number, { currency }: NetworkFacts): Currency {
  if (currency.metadata?.id === mosaicId) return currency;
  return { symbol: mosaicId, decimals, metadata: { id: mosaicId } };
}

/** @param value atomic units */
export function buildAmount(value: string, mosaicId: string, decimals: number, network: NetworkFacts): Amount {
  return { value, currency: buildCurrency(mosaicId, decimals, network) };
}

/**
 * The mosaic id of a currency: 16 upper-case hex digits. Its decimals are not checked.
 * @throws MeshError invalidRequest for a symbol that is neither the name of the network's currency nor an id
 */
export function parseMosaicId({ symbol, metadata }: Currency, member: string, { currency }: NetworkFacts): string {
  const id = symbol === currency.symbol ? (currency.metadata?.id as string) : symbol;
  if (!MOSAIC_ID.test(id)) {
    throw invalidMember(`${member}.symbol`, `must be ${currency.symbol} or a mosaic id of 16 upper-case hex digits`);
  }
  if (metadata?.id !== undefined && metadata.id !== id) {
    throw invalidMember(`${member}.metadata.id`, `must be ${id}, the mosaic of ${symbol}`);
  }
  return id;
}

/** @throws MeshError unavailable for a mosaic whose state has not been read yet */
export function knownDecimals(mosaicId: string, divisibility: number | null): number {
  if (divisibility !== null) return divisibility;
  throw new MeshError("unavailable", { problem: `the state of mosaic ${mosaicId} has not been read yet` });
}

/** The account of an address of 24 bytes or its base32 form. */
export function buildAccount(address: Buffer | string): AccountIdentifier {
  return { address: typeof address === "string" ? address : encodeAddress(address) };
}

/**
 * The 24 bytes of an account's address.
 * @throws MeshError invalidAddress, and invalidRequest for a sub-account: Symbol has none
 */
export function addressIn({ address, sub_account: part }: AccountIdentifier, network: NetworkFacts): Buffer {
  if (part) throw invalidMember("account_identifier.sub_account", "must be absent: accounts have no sub-accounts");
  return parseNetworkAddress(address, network);
}

/** The 24 bytes of an address in base32. @throws MeshError invalidAddress */
export function parseNetworkAddress(text: string, { addressPrefix }: NetworkFacts): Buffer {
  const bytes = text.length === ADDRESS_LENGTH ? parseAddress(text) : undefined;
  if (bytes?.[0] === addressPrefix) return bytes;
  throw new MeshError("invalidAddress", { address: text.slice(0, QUOTED_LENGTH) });
}

const ADDRESS_LENGTH = 39;
const QUOTED_LENGTH = 100;

/** The 32 bytes of a hash. @throws MeshError invalidRequest */
export function parseHash(text: string, member: string): Buffer {
  const bytes = parseHex(text, HASH_BYTES);
  if (bytes) return bytes;
  throw invalidMember(member, "must be 64 hex digits");
}
