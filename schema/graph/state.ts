import type { Db } from "../../database/database.js";
import { isStateThere } from "../../database/queries/state-readiness.js";
import { invalidArgument, serviceUnavailable } from "../services/errors.js";
import type { Context } from "./context.js";

/** Maximum number of keys in one look-up: as many as an account may have mosaics. */
export const MAX_KEYS = 1000;
/** The same for entries with potentially many thousand bytes each: accounts and their restrictions. */
export const MAX_LARGE_KEYS = 100;

/**
 * The database, for reading state.
 * @throws ApiError ServiceUnavailable before the first block: until then, a missing entry is meaningless
 */
export async function stateDb({ db }: Context): Promise<Db> {
  if (await isStateThere(db)) return db;
  throw serviceUnavailable("nothing is indexed yet: try again");
}

/** @throws ApiError InvalidArgument when a look-up has more than `max` keys */
export function checkKeys(name: string, keys: readonly unknown[], max = MAX_KEYS): void {
  if (keys.length > max) throw invalidArgument(`${name} must not have more than ${max} entries, not ${keys.length}`);
}

/** The 24 bytes of an address in a document as hex digits. */
export function addressIn(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
