import { isDeepStrictEqual } from "node:util";
import { isAliasMosaic } from "../../catapult/entity/address.js";
import { buildCurrency, parseMosaicId } from "../standard/amounts.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import type { Currency } from "../standard/schemas.js";

/** Of any mosaic. */
const MAX_DECIMALS = 6;

/** The decimals of mosaics by the text of their id, without the network's currency: what transactions do not have. */
export type Decimals = ReadonlyMap<string, number>;

/**
 * The mosaic id of a currency, as text, in an operation. It must have the form in which this API returns it, so that
 * the operations of a transaction are those of the request.
 * @throws MeshError unknownCurrency or decimalsMismatch, invalidRequest for another symbol
 */
export function exactMosaicId(currency: Currency, network: NetworkFacts, member: string): string {
  const id = parseMosaicId(currency, member, network);
  if (isAliasMosaic(BigInt(`0x${id}`)))
    throw invalidMember(`${member}.symbol`, "is the id of a namespace, not of a mosaic");
  const { decimals } = currency;
  const own = isOwn(id, network) ? network.currency.decimals : undefined;
  if (own !== undefined && decimals !== own) {
    throw new MeshError("decimalsMismatch", { member: `${member}.decimals`, expected: own });
  }
  if (decimals > MAX_DECIMALS) {
    throw new MeshError("decimalsMismatch", { member: `${member}.decimals`, maximum: MAX_DECIMALS });
  }
  const expected = buildCurrency(id, decimals, network);
  if (isDeepStrictEqual(currency, expected)) return id;
  throw new MeshError("unknownCurrency", { member, expected });
}

/** Whether a mosaic is the network's currency. @param id 16 upper-case hex digits */
export function isOwn(id: string, { currency }: NetworkFacts): boolean {
  return id === currency.metadata?.id;
}

/** The id of the network's currency. */
export function ownMosaicId({ currency }: NetworkFacts): bigint {
  return BigInt(`0x${currency.metadata?.id}`);
}

/** The decimals of a mosaic. @param id 16 upper-case hex digits @throws MeshError invalidTransaction if they are missing */
export function findDecimals(id: string, known: Decimals, network: NetworkFacts): number {
  const decimals = isOwn(id, network) ? network.currency.decimals : known.get(id);
  if (decimals !== undefined) return decimals;
  throw new MeshError("invalidTransaction", { problem: `the decimals of mosaic ${id} are missing` });
}
