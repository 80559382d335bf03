import { type RawBuilder, sql } from "kysely";
import { BLOCK } from "../../catapult/entity/entity-layout.js";
import type { ColumnType } from "../binary/rows.js";

/*
 * Fields of the header of a block, read from the column `block` of `raw_blocks` beside a slice of that block: so the row
 * of `blocks` need not be read too.
 */

/** An unsigned number (little-endian) of a header. */
function headerField(size: number, read: (bytes: Buffer, start: number) => number): ColumnType<number> {
  return { sql: "bytea", size, read };
}

/** The timestamp of a block, in ms since the epoch adjustment. */
export const blockTimestamp = headerField(
  8,
  (bytes, start) => bytes.readUInt32LE(start + 4) * 2 ** 32 + bytes.readUInt32LE(start),
);
export const BLOCK_TIMESTAMP = fieldAt(BLOCK.timestamp, 8);

export const blockFeeMultiplier = headerField(4, (bytes, start) => bytes.readUInt32LE(start));
export const BLOCK_FEE_MULTIPLIER = fieldAt(BLOCK.feeMultiplier, 4);

function fieldAt(offset: number, size: number): RawBuilder<unknown> {
  return sql`substring(block from ${sql.lit(offset + 1)} for ${sql.lit(size)})`;
}
