import { type RawBuilder, sql } from "kysely";
import { AGGREGATE, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { acceptedEntity, asAggregate, embeddedRanges } from "../../catapult/entity/transaction.js";
import { isAggregate, type TransactionSource, writeTransaction } from "../../catapult/json/transaction.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import { bytea, type RowOf } from "../binary/rows.js";
import { BLOCK_FEE_MULTIPLIER, BLOCK_TIMESTAMP, blockFeeMultiplier, blockTimestamp } from "./block-fields.js";
import { type Bodies, RenderedEntry } from "./bodies.js";
import { ENTITY_IDS, type entityId, type IdForm } from "./id-form.js";

const columns = { hash: bytea, timestamp: blockTimestamp, fee_multiplier: blockFeeMultiplier, entity: bytea };

export type TransactionRow = RowOf<typeof columns & { readonly id: typeof entityId }>;

function makeSource({ id, hash, timestamp, fee_multiplier, entity }: TransactionRow): TransactionSource {
  return { position: id, hash, timestamp, feeMultiplier: fee_multiplier, entity, group: undefined };
}

/** Of an embedded transaction, the hash is that of its aggregate. */
const ANY_HASH = sql`coalesce(d.hash, (select t.hash from transactions t where t.id = d.id - (d.id & 4095)))`;

/** The bytes of a transaction in the column `block`. */
export const WHOLE = sql`substring(block from d.position + 1 for d.size)`;

/**
 * The same, but an aggregate whose embedded transactions have more than a number of bytes (they may have 100 kB) is read
 * without them: its header and its cosignatures.
 */
export const sliceOf = (largest: number): RawBuilder<unknown> => sql`case when d.embedded_size > ${sql.lit(largest)}
  then substring(block from d.position + 1 for ${sql.lit(AGGREGATE.headerSize)})
    || substring(block from d.position + 1 + ${sql.lit(AGGREGATE.headerSize)} + d.embedded_size
      for d.size - ${sql.lit(AGGREGATE.headerSize)} - d.embedded_size)
  else ${WHOLE} end`;

/** In look-ups, which need them, embedded transactions of at most as many bytes are read at once. */
export const LOOK_UP_BYTES = 4_096;

/** A confirmed or pending transaction, with its REST body as in searches: aggregates without embedded transactions. */
export class TransactionEntry extends RenderedEntry<TransactionSource> {
  readonly isAggregate: boolean;

  constructor(source: TransactionSource) {
    super(ENTITY_IDS.toBytes(source.position), writeTransaction, source);
    this.isAggregate = isAggregate(source);
  }

  /** What it is pending for; undefined if it is confirmed. */
  get group(): PendingGroup | undefined {
    return this.source.group;
  }

  /** Its bytes; those of an aggregate perhaps without its embedded transactions. */
  get bytes(): Buffer {
    return this.source.entity;
  }

  /** The embedded transactions, in order; undefined if they were not read. */
  get embedded(): readonly TransactionEntry[] | undefined {
    const { source, isAggregate } = this;
    if (!isAggregate) return [];
    const size = source.entity.readUInt32LE(VERIFIABLE.size);
    return size > source.entity.length ? undefined : embeddedEntries(source);
  }
}

/** The embedded transactions of a whole aggregate, in order. */
function embeddedEntries(aggregate: TransactionSource): TransactionEntry[] {
  const { entity, position } = aggregate;
  if (!asAggregate(acceptedEntity(entity))) return [];
  return embeddedRanges(entity).map(
    ({ start, end }, index) =>
      new TransactionEntry({
        ...aggregate,
        position: { ...position, embeddedIndex: index + 1 },
        entity: entity.subarray(start, end),
      }),
  );
}

function bodiesWith(slice: RawBuilder<unknown>, hash?: RawBuilder<unknown>): Bodies<TransactionEntry> {
  const bodies: Bodies<TransactionEntry, TransactionRow> = {
    ids: ENTITY_IDS as IdForm,
    columns,
    values: {
      ...(hash && { hash }),
      timestamp: sql`r.timestamp`,
      fee_multiplier: sql`r.fee_multiplier`,
      entity: sql`r.entity`,
    },
    stored: ["hash", "position", "size", "embedded_size"],
    block: sql`
      select ${BLOCK_TIMESTAMP} as timestamp, ${BLOCK_FEE_MULTIPLIER} as fee_multiplier, ${slice} as entity
      from raw_blocks where height = d.id >> 32`,
    entry: (row) => new TransactionEntry(makeSource(row)),
    write: (writer, row) => void writeTransaction(writer, makeSource(row), 0),
  };
  return bodies as Bodies<TransactionEntry>;
}

/** The bodies of `transactions`: rendered from slices of `raw_blocks`. */
export const TRANSACTION_BODIES = bodiesWith(sliceOf(0), ANY_HASH);
/** The same for top-level transactions only, which have hashes of their own. */
export const TOP_BODIES = bodiesWith(sliceOf(0));
/** The same, with embedded transactions unless they are large. */
export const LOOK_UP_BODIES = bodiesWith(sliceOf(LOOK_UP_BYTES));
/** The same, with all embedded transactions. */
export const WHOLE_BODIES = bodiesWith(WHOLE);
