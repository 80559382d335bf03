import { type RawBuilder, sql } from "kysely";
import { VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { decodeEntityId } from "../../catapult/json/entity-id.js";
import { type TransactionSource, writeTransaction } from "../../catapult/json/transaction.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { bool, bytea, type ColumnType, int4, nullable, type RowOf } from "../binary/rows.js";
import type { Bodies } from "./bodies.js";
import { BYTE_IDS, type IdForm } from "./id-form.js";
import { LOOK_UP_BYTES, sliceOf, TransactionEntry, WHOLE } from "./transaction-bodies.js";

const columns = {
  hash: bytea,
  is_partial: bool,
  size: int4,
  entity: bytea,
  cosignatures: nullable(bytea),
};

type PendingRow = RowOf<typeof columns & { readonly id: ColumnType<Buffer> }>;

function makeSource({ id, hash, is_partial, size, entity, cosignatures }: PendingRow): TransactionSource {
  const group = is_partial ? "partial" : "unconfirmed";
  const source = { position: decodeEntityId(id), hash, timestamp: 0, feeMultiplier: 0, group } as const;
  if (!cosignatures) return { ...source, entity };
  const cosigned = Buffer.concat([entity, cosignatures]);
  cosigned.writeUInt32LE(size + cosignatures.length, VERIFIABLE.size);
  return { ...source, entity: cosigned };
}

/** Only these have cosignatures. */
const AGGREGATES = sql.join([TRANSACTION_TYPE.aggregate_complete, TRANSACTION_TYPE.aggregate_bonded].map(sql.lit));

/** The id of the transaction itself, of a row or of a transaction embedded in it. */
export const topIdOf = (id: RawBuilder<unknown>) => sql`substring(${id} for 9) || decode('000000', 'hex')`;

function bodiesWith(slice: RawBuilder<unknown>): Bodies<TransactionEntry> {
  const bodies: Bodies<TransactionEntry, PendingRow> = {
    ids: BYTE_IDS as IdForm,
    columns,
    values: {
      hash: sql`r.hash`,
      is_partial: sql`d."group" = 'partial'`,
      entity: sql`r.entity`,
      cosignatures: sql`r.cosignatures`,
    },
    stored: ["group", "embedded", "type", "hash", "payload", "position", "size", "embedded_size"],
    block: sql`
      select hash, ${slice} as entity, case when d.type in (${AGGREGATES}) then
        (select string_agg(c.cosignature, ''::bytea order by c.position) from pending_cosignatures c where c.id = d.id)
      end as cosignatures
      from (
        select d.hash, d.payload as block where not d.embedded
        union all select hash, payload from pending_transactions where d.embedded and id = ${topIdOf(sql`d.id`)}
      ) top`,
    entry: (row) => new TransactionEntry(makeSource(row)),
    write: (writer, row) => void writeTransaction(writer, makeSource(row), 0),
  };
  return bodies as Bodies<TransactionEntry>;
}

/** The bodies of pending transactions, rendered from slices of their payloads: of lists. */
export const PENDING_BODIES = bodiesWith(sliceOf(0));
/** The same, with embedded transactions unless they are large. */
export const PENDING_LOOK_UP_BODIES = bodiesWith(sliceOf(LOOK_UP_BYTES));
/** The same, with all embedded transactions. */
export const PENDING_WHOLE_BODIES = bodiesWith(WHOLE);
