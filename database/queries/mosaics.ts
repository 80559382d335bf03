import { sql } from "kysely";
import type { Db } from "../database.js";
import { idKey } from "../lists/collections.js";

/** Supply (atomic units) and divisibility of a mosaic, or undefined. */
export async function readSupply(
  db: Db,
  mosaicId: bigint,
): Promise<{ readonly supply: bigint; readonly divisibility: number } | undefined> {
  const row = await db
    .selectFrom("mosaics")
    .select(["supply", "divisibility"])
    .where("mosaic_id", "=", idKey(mosaicId))
    .executeTakeFirst();
  return row && { supply: BigInt(row.supply), divisibility: row.divisibility };
}

/** Divisibilities of mosaics by their ids, in the order of the request; undefined for an unknown mosaic. */
export async function readDivisibilities(db: Db, mosaicIds: readonly bigint[]): Promise<(number | undefined)[]> {
  const rows = await db
    .selectFrom("mosaics")
    .select(["mosaic_id", "divisibility"])
    .where("mosaic_id", "=", sql<Buffer>`any(${mosaicIds.map(idKey)}::bytea[])`)
    .execute();
  const found = new Map(rows.map((row) => [row.mosaic_id.readBigUInt64BE(), row.divisibility]));
  return mosaicIds.map((id) => found.get(id));
}
