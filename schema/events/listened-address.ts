import {
  ADDRESS_SIZE,
  decodeUnresolvedAddress,
  encodeAddress,
  encodeAliasAddress,
} from "../../catapult/entity/address.js";
import { EntityError } from "../../catapult/entity/entity-error.js";
import type { Db } from "../../database/database.js";
import { readNetworkIdentifier } from "../../database/queries/network.js";
import { invalidArgument, invalidContent, serviceUnavailable } from "../errors/errors.js";
import { parseAddress, parseHex, parseId } from "../graph/formats.js";

const FORM = /^([0-9A-Fa-f]{48}|[0-9A-Fa-f]{16}|[A-Z2-7]{39})$/;
const EXPECTED = "an address of 39 base32 characters (or 48 hex digits) or a namespace id of 16 hex digits";

/** Cache of parsed addresses, by network and text. */
const known = new Map<string, Buffer>();
const MAX_KNOWN = 16_384;

/**
 * The address (24 bytes) of a subscription. A namespace id is converted to its alias address, which is the form in
 * transactions that name the namespace.
 * @param given 39 base32 characters or 48 hex digits, or a namespace id as 16 hex digits
 * @throws ApiError InvalidContent for another text, InvalidArgument for an address of another network,
 *   ServiceUnavailable while the network is unknown
 */
export async function listenedAddress(db: Db, given: string): Promise<Buffer> {
  if (!FORM.test(given)) throw invalidContent("the address", EXPECTED);
  const network = await readNetworkIdentifier(db);
  if (network === undefined) {
    throw serviceUnavailable("nothing is indexed yet, so the network of addresses is unknown: try again");
  }
  const key = `${network} ${given}`;
  const found = known.get(key) ?? read(given, network);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, found);
  return found;
}

function read(given: string, network: number): Buffer {
  const bytes = parseHex(given, ADDRESS_SIZE);
  const text = bytes ? encodeAddress(bytes) : given;
  const namespaceId = parseId(text);
  if (namespaceId !== undefined) return encodeAliasAddress(namespaceId, network);
  try {
    return decodeUnresolvedAddress(text, network);
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    // A valid address, so of another network.
    if (parseAddress(text))
      throw invalidArgument(`the address ${text} does not belong to network ${network}, which is served here`);
    throw invalidContent("the address", `${EXPECTED} (${error.message})`);
  }
}
