import { isAliasMosaic } from "../../../catapult/entity/address.js";
import { idText } from "../../../catapult/json/format.js";
import { invalidMember, MeshError } from "../standard/errors.js";
import type { NetworkFacts } from "../standard/network.js";
import type { Currency } from "../standard/schemas.js";

/** Of a mosaic, in bytes of its id's definition. */
const MAX_DECIMALS = 6;
const MAX_SYMBOL_LENGTH = 64;

/** The currencies of a transaction by the text of their mosaic id: what its bytes do not have. */
export type Currencies = ReadonlyMap<string, Currency>;

/**
 * The mosaic id of a currency, which its metadata names.
 * @throws MeshError unknownCurrency without a valid id, or for another description of the network's currency
 */
export function mosaicIdOf(currency: Currency, network: NetworkFacts, member: string): bigint {
  const { symbol, decimals, metadata = {} } = currency;
  const { id, ...others } = metadata;
  if (typeof id !== "string" || !/^[0-9A-F]{16}$/.test(id)) {
    throw unknown(`${member}.metadata.id`, "must be the id of a mosaic, 16 upper-case hex digits");
  }
  if (Object.keys(others).length > 0) throw unknown(`${member}.metadata`, "must have no other member than id");
  const mosaicId = BigInt(`0x${id}`);
  if (isAliasMosaic(mosaicId)) throw unknown(`${member}.metadata.id`, "is the id of a namespace, not of a mosaic");
  if (symbol.length > MAX_SYMBOL_LENGTH) {
    throw invalidMember(`${member}.symbol`, `must have at most ${MAX_SYMBOL_LENGTH} characters`);
  }
  if (decimals > MAX_DECIMALS)
    throw new MeshError("decimalsMismatch", { member: `${member}.decimals`, maximum: MAX_DECIMALS });
  if (id !== network.currency.metadata?.id) return mosaicId;
  const { currency: own } = network;
  if (decimals !== own.decimals) {
    throw new MeshError("decimalsMismatch", { member: `${member}.decimals`, expected: own.decimals });
  }
  if (symbol !== own.symbol) throw unknown(`${member}.symbol`, `the symbol of mosaic ${id} is ${own.symbol}`);
  return mosaicId;
}

/** The currency of a mosaic. @throws MeshError invalidTransaction if it is not in `currencies` */
export function currencyOf(mosaicId: bigint, currencies: Currencies): Currency {
  const currency = currencies.get(idText(mosaicId));
  if (currency) return currency;
  throw new MeshError("invalidTransaction", { problem: `the currency of mosaic ${idText(mosaicId)} is missing` });
}

function unknown(member: string, problem: string): MeshError {
  return new MeshError("unknownCurrency", { member, problem });
}
