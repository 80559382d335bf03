import { type RawBuilder, sql } from "kysely";
import { AGGREGATE, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { cosignaturesStart, merkleComponentCharacters } from "../../catapult/entity/merkle-component.js";
import {
  acceptedEmbeddedEntity,
  acceptedEntity,
  asAggregate,
  embeddedRanges,
} from "../../catapult/entity/transaction.js";
import type { EntityPosition } from "../../catapult/json/entity-id.js";
import { embeddedWriter, transactionWriter } from "../../catapult/json/transaction.js";
import { embeddedFields, storedFields } from "../../catapult/json/transaction-fields.js";
import type { AnyTransactionBody } from "../../catapult/nouns/transaction.js";
import { isAggregateType } from "../../catapult/nouns/type-names.js";
import { chosen, type Write } from "../../catapult/values/body-writer.js";
import { bytea, type RowOf } from "../binary/rows.js";
import { BLOCK_FEE_MULTIPLIER, BLOCK_TIMESTAMP, blockFeeMultiplier, blockTimestamp } from "./block-fields.js";
import { type Bodies, RenderedEntry } from "./bodies.js";
import { ENTITY_IDS, type entityId, type IdForm } from "./id-form.js";

const columns = { hash: bytea, timestamp: blockTimestamp, fee_multiplier: blockFeeMultiplier, entity: bytea };

/** A row with a transaction. */
export type TransactionRow = RowOf<typeof columns & { readonly id: typeof entityId }>;

/** What a transaction's body shows. */
interface TransactionSource {
  readonly position: EntityPosition;
  /** Of an embedded transaction, that of its aggregate. */
  readonly hash: Buffer;
  readonly timestamp: number;
  readonly feeMultiplier: number;
  /** Of an aggregate perhaps without its embedded transactions. */
  readonly entity: Buffer;
}

function sourceOf({ id, hash, timestamp, fee_multiplier, entity }: TransactionRow): TransactionSource {
  return { position: id, hash, timestamp, feeMultiplier: fee_multiplier, entity };
}

/** Of an embedded transaction, the hash is that of its aggregate. */
const ANY_HASH = sql`coalesce(d.hash, (select t.hash from transactions t where t.id = d.id - (d.id & 4095)))`;

/** The bytes of a transaction in the column `block`. */
const WHOLE = sql`substring(block from d.position + 1 for d.size)`;

/**
 * The same, but an aggregate whose embedded transactions have more than a number of bytes (they may have 100 kB) is read
 * without them: its header and its cosignatures.
 */
const sliceOf = (largest: number): RawBuilder<unknown> => sql`case when d.embedded_size > ${sql.lit(largest)}
  then substring(block from d.position + 1 for ${sql.lit(AGGREGATE.headerSize)})
    || substring(block from d.position + 1 + ${sql.lit(AGGREGATE.headerSize)} + d.embedded_size
      for d.size - ${sql.lit(AGGREGATE.headerSize)} - d.embedded_size)
  else ${WHOLE} end`;

/** In look-ups, which need them, embedded transactions of at most as many bytes are read at once. */
const LOOK_UP_BYTES = 4_096;

const height: Write<TransactionSource, string> = (writer, { position }) => writer.decimal(position.height);
const timestamp: Write<TransactionSource, string> = (writer, source) => writer.decimal(source.timestamp);
const feeMultiplier: Write<TransactionSource, number> = (writer, source) => writer.number(source.feeMultiplier);
const hash: Write<TransactionSource, string> = (writer, source) => writer.hex(source.hash);
/** The id of a transaction, or of the aggregate that contains it. */
const topId: Write<TransactionSource, string> = (writer, { position }) =>
  writer.entityId(position.height, position.index, 0);

function isAggregate({ position, entity }: TransactionSource): boolean {
  return position.embeddedIndex === 0 && isAggregateType(entity.readUInt16LE(VERIFIABLE.type));
}

const writeTopLevel = transactionWriter<TransactionSource>({
  id: topId,
  height,
  hash,
  merkleComponentHash: (writer, source) => {
    const { entity, hash } = source;
    if (!isAggregate(source)) return writer.hex(hash);
    const start = cosignaturesStart(entity, 0, entity.length);
    if (start === entity.length) return writer.hex(hash);
    return writer.hexOfCharacters(merkleComponentCharacters(hash, 0, entity, start, entity.length));
  },
  index: (writer, { position }) => writer.number(position.index),
  timestamp,
  feeMultiplier,
  transaction: chosen(({ entity }) => entity, storedFields),
});

const writeEmbedded = embeddedWriter<TransactionSource>({
  id: (writer, { position: { height, index, embeddedIndex } }) => writer.entityId(height, index, embeddedIndex),
  height,
  aggregateHash: hash,
  aggregateId: topId,
  index: (writer, { position }) => writer.number(position.embeddedIndex - 1),
  timestamp,
  feeMultiplier,
  transaction: chosen(
    ({ entity }) => entity,
    (entity) => embeddedFields(acceptedEmbeddedEntity(entity)),
  ),
});

const write: Write<TransactionSource, AnyTransactionBody> = chosen(
  (source) => source,
  ({ position }) =>
    (position.embeddedIndex > 0 ? writeEmbedded : writeTopLevel) as Write<TransactionSource, AnyTransactionBody>,
);

/** A confirmed transaction, with its REST body as in searches: aggregates without embedded transactions. */
export class TransactionEntry extends RenderedEntry<TransactionSource> {
  readonly isAggregate: boolean;

  constructor(source: TransactionSource) {
    super(ENTITY_IDS.toBytes(source.position), write, source);
    this.isAggregate = isAggregate(source);
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
    ({ start, end }, place) =>
      new TransactionEntry({
        ...aggregate,
        position: { ...position, embeddedIndex: place + 1 },
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
    entry: (row) => new TransactionEntry(sourceOf(row)),
    write: (writer, row) => void write(writer, sourceOf(row), 0),
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
