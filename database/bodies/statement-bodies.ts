import type { Write } from "../../catapult/json/body-writer.js";
import { copyEntityId, ID_BYTES } from "../../catapult/json/entity-id.js";
import {
  type StatementSource,
  writeAddressResolution,
  writeMosaicResolution,
  writeTransactionStatement,
} from "../../catapult/json/statement.js";
import { LENGTH_SIZE, sizeAt } from "../rows.js";
import { sql } from "../sql.js";
import { type Bodies, renderedBodies } from "./bodies.js";

/** Bytes from the id to the record. */
const ID = 8 + LENGTH_SIZE;
/** Bytes of the timestamp of the block, little-endian, which the statement follows. */
const STATEMENT = 8;

const record = {
  value: sql`substring(r.block from 121 for 8) || substring(r.statement from d.position + 1 for d.size)`,
  block: sql`r.height = d.id >> 32`,
};

/** Of the statement that is being rendered: a page has many, and creating a buffer takes long. */
const currentId = Buffer.alloc(ID_BYTES);

function sourceOf(bytes: Buffer, at: number): StatementSource {
  return {
    id: copyEntityId(bytes, at - ID, currentId),
    height: bytes.readInt32BE(at - ID),
    timestamp: bytes.readUInt32LE(at + 4) * 2 ** 32 + bytes.readUInt32LE(at),
    bytes,
    start: at + STATEMENT,
    end: at + sizeAt(bytes, at),
  };
}

function bodiesOf(write: Write<StatementSource, unknown>): Bodies {
  return renderedBodies({ columns: ["position", "size"], record, sourceOf, write });
}

/** The bodies of the tables of statements: rendered from slices of the block's statement in `raw_blocks`. */
export const STATEMENT_BODIES = {
  transaction_statements: bodiesOf(writeTransactionStatement),
  address_resolution_statements: bodiesOf(writeAddressResolution),
  mosaic_resolution_statements: bodiesOf(writeMosaicResolution),
} as const;
