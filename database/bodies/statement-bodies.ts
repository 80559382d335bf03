import { sql } from "kysely";
import type { Write } from "../../catapult/json/body-writer.js";
import { decodeEntityId } from "../../catapult/json/entity-id.js";
import {
  type StatementSource,
  writeAddressResolution,
  writeMosaicResolution,
  writeTransactionStatement,
} from "../../catapult/json/statement.js";
import { type Bodies, type Entry, renderedBodies } from "./bodies.js";

/** Bytes of the timestamp of the block, little-endian, which the statement follows. */
const STATEMENT = 8;

const record = sql`(
  select substring(r.block from 121 for 8) || substring(r.statement from d.position + 1 for d.size)
  from raw_blocks r where r.height = d.id >> 32)`;

function sourceOf(id: string, bytes: Buffer): StatementSource {
  const { height } = decodeEntityId(Buffer.from(id, "hex"));
  return { id, height, timestamp: Number(bytes.readBigUInt64LE(0)), bytes: bytes.subarray(STATEMENT) };
}

function bodiesOf(write: Write<StatementSource, unknown>): Bodies<Entry, Buffer> {
  return renderedBodies({ columns: ["position", "size"], record, sourceOf, write });
}

/** The bodies of the tables of statements: rendered from slices of the block's statement in `raw_blocks`. */
export const STATEMENT_BODIES = {
  transaction_statements: bodiesOf(writeTransactionStatement),
  address_resolution_statements: bodiesOf(writeAddressResolution),
  mosaic_resolution_statements: bodiesOf(writeMosaicResolution),
} as const;
