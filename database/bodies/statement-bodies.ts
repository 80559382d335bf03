import { sql } from "kysely";
import {
  type StatementSource,
  writeAddressResolution,
  writeMosaicResolution,
  writeTransactionStatement,
} from "../../catapult/structs/statement.js";
import type { Write } from "../../catapult/values/body-writer.js";
import { bytea, type RowOf } from "../binary/rows.js";
import { BLOCK_TIMESTAMP, blockTimestamp } from "./block-fields.js";
import { type Bodies, type Entry, RenderedEntry } from "./bodies.js";
import { ENTITY_IDS, type entityId, type IdForm } from "./id-form.js";

const columns = { timestamp: blockTimestamp, statement: bytea };

type StatementRow = RowOf<typeof columns & { readonly id: typeof entityId }>;

function makeSource({ id, timestamp, statement }: StatementRow): StatementSource {
  return { position: id, timestamp, bytes: statement };
}

function bodiesOf(write: Write<StatementSource, unknown>): Bodies {
  const bodies: Bodies<Entry, StatementRow> = {
    ids: ENTITY_IDS as IdForm,
    columns,
    values: { timestamp: sql`r.timestamp`, statement: sql`r.statement` },
    stored: ["position", "size"],
    block: sql`
      select ${BLOCK_TIMESTAMP} as timestamp, substring(statement from d.position + 1 for d.size) as statement
      from raw_blocks where height = d.id >> 32`,
    entry: (row) => new RenderedEntry(ENTITY_IDS.toBytes(row.id), write, makeSource(row)),
    write: (writer, row) => void write(writer, makeSource(row), 0),
  };
  return bodies as Bodies;
}

/** The bodies of the tables of statements: rendered from slices of the block's statement in `raw_blocks`. */
export const STATEMENT_BODIES = {
  transaction_statements: bodiesOf(writeTransactionStatement),
  address_resolution_statements: bodiesOf(writeAddressResolution),
  mosaic_resolution_statements: bodiesOf(writeMosaicResolution),
} as const;
