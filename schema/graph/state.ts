import type { Db } from "../../database/database.js";
import { isStateThere } from "../../database/queries/state-readiness.js";
import { invalidArgument, serviceUnavailable } from "../services/errors.js";
import type { Context } from "./context.js";

/** Keys that one look-up may name: as many as an account may have mosaics. */
export const MAX_KEYS = 1000;
/** The same for what may have many thousand bytes each: accounts and their restrictions. */
export const MAX_LARGE_KEYS = 100;

/**
 * The database, for reading state.
 * @throws ApiError ServiceUnavailable until the state was once read as a whole: before, what is missing tells nothing
 */
export async function stateDb({ db }: Context): Promise<Db> {
  if (await isStateThere(db)) return db;
  throw serviceUnavailable("the state (accounts, mosaics, namespaces…) is not read from the node yet: try again");
}

/** @throws ApiError InvalidArgument when a look-up names more than `max` */
export function checkKeys(name: string, keys: readonly unknown[], max = MAX_KEYS): void {
  if (keys.length > max) throw invalidArgument(`${name} must not have more than ${max} entries, not ${keys.length}`);
}

/** The 24 bytes of an address that a document holds as hex digits. */
export function addressIn(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
