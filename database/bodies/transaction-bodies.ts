import type { AnyTransactionBody } from "../../catapult/body/transaction.js";
import { AGGREGATE, isAggregateType, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { cosignaturesStart, merkleComponentCharacters } from "../../catapult/entity/merkle-component.js";
import {
  acceptedEmbeddedEntity,
  acceptedEntity,
  asAggregate,
  embeddedRanges,
} from "../../catapult/entity/transaction.js";
import { always, hexOf, uint32Of, uint64Of, type Write } from "../../catapult/json/body-writer.js";
import { entityIdAt } from "../../catapult/json/entity-id.js";
import type { JsonWriter, Written } from "../../catapult/json/json-writer.js";
import { embeddedWriter, transactionWriter } from "../../catapult/json/transaction.js";
import { transactionFieldsWriter, writeEmbeddedFields } from "../../catapult/json/transaction-fields.js";
import { int32At, LENGTH_SIZE, sizeAt } from "../rows.js";
import { type Sql, sql } from "../sql.js";
import { type Bodies, type BodyRecord, RenderedEntry, recordOf } from "./bodies.js";

/** Bytes from the id to the record, and to the index in the id. */
const ID = 8 + LENGTH_SIZE;
const INDEX = ID - 4;
/** Bits of the index in an aggregate, at the end of an id. */
const EMBEDDED_BITS = 12;
const EMBEDDED_RANGE = 2 ** EMBEDDED_BITS;
/** Offsets in a record; the last two numbers are little-endian, as in the header of the block. */
const HASH = 0;
const TIMESTAMP = 32;
const FEE_MULTIPLIER = 40;
const TRANSACTION = 44;

/** Of an embedded transaction, the hash is that of its aggregate. */
const ANY_HASH = sql`coalesce(d.hash, (select t.hash from transactions t where t.id = d.id - (d.id & 4095)))`;

const withSlice = (slice: Sql, hash: Sql): BodyRecord => ({
  value: sql`${hash} || substring(r.block from 121 for 8) || substring(r.block from 369 for 4) || ${slice}`,
  block: sql`r.height = d.id >> 32`,
});

/**
 * The bytes of a transaction. An aggregate whose embedded transactions have more than a number of bytes (they may have 100 kB)
 * is read without them: its header and its cosignatures.
 */
const sliceOf = (largest: number): Sql => sql`case when d.embedded_size > ${sql.lit(largest)}
  then substring(r.block from d.position + 1 for ${sql.lit(AGGREGATE.headerSize)})
    || substring(r.block from d.position + 1 + ${sql.lit(AGGREGATE.headerSize)} + d.embedded_size
      for d.size - ${sql.lit(AGGREGATE.headerSize)} - d.embedded_size)
  else substring(r.block from d.position + 1 for d.size) end`;

/** In look-ups, which need them, embedded transactions of at most as many bytes are read at once. */
const LOOK_UP_BYTES = 4_096;

/** The record of the row `d` of an aggregate with its embedded transactions. */
export const WHOLE_AGGREGATE = recordOf(withSlice(sql`substring(r.block from d.position + 1 for d.size)`, sql`d.hash`));

const height: Write<Buffer, string> = (writer, bytes, at) => writer.decimal(int32At(bytes, at - ID));
const timestamp = always(uint64Of(TIMESTAMP));
const feeMultiplier = always(uint32Of(FEE_MULTIPLIER));
const hash = hexOf(HASH, TIMESTAMP);

/** Writes the id of a transaction, or with an `embeddedIndex` of 0 that of the aggregate that contains it. */
function writeId(writer: JsonWriter, bytes: Buffer, at: number, embeddedIndex: number): Written<string> {
  return writer.entityId(int32At(bytes, at - ID), int32At(bytes, at - INDEX) >>> EMBEDDED_BITS, embeddedIndex);
}

function embeddedIndexOf(bytes: Buffer, at: number): number {
  return int32At(bytes, at - INDEX) & (EMBEDDED_RANGE - 1);
}

function transactionBytes(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at + TRANSACTION, at + sizeAt(bytes, at));
}

function isAggregate(bytes: Buffer, at: number): boolean {
  return embeddedIndexOf(bytes, at) === 0 && isAggregateType(bytes.readUInt16LE(at + TRANSACTION + VERIFIABLE.type));
}

/** End of the transaction that starts at an offset. */
function endOf(bytes: Buffer, start: number): number {
  return start - TRANSACTION + sizeAt(bytes, start - TRANSACTION);
}

function cosignaturesOf(bytes: Buffer, start: number): number {
  return cosignaturesStart(bytes, start, endOf(bytes, start));
}

const writeFields = transactionFieldsWriter({ end: endOf, cosignatures: cosignaturesOf });

const writeTopLevel = transactionWriter<Buffer>({
  id: (writer, bytes, at) => writeId(writer, bytes, at, 0),
  height,
  hash,
  merkleComponentHash: (writer, bytes, at) => {
    if (!isAggregate(bytes, at)) return hash(writer, bytes, at);
    const [start, end] = [cosignaturesOf(bytes, at + TRANSACTION), at + sizeAt(bytes, at)];
    if (start === end) return hash(writer, bytes, at);
    return writer.hexOfCharacters(merkleComponentCharacters(bytes, at + HASH, bytes, start, end));
  },
  index: (writer, bytes, at) => writer.number(int32At(bytes, at - INDEX) >>> EMBEDDED_BITS),
  timestamp,
  feeMultiplier,
  transaction: (writer, bytes, at) => writeFields(writer, bytes, at + TRANSACTION),
});

const writeEmbedded = embeddedWriter<Buffer>({
  id: (writer, bytes, at) => writeId(writer, bytes, at, embeddedIndexOf(bytes, at)),
  height,
  aggregateHash: hash,
  aggregateId: (writer, bytes, at) => writeId(writer, bytes, at, 0),
  index: (writer, bytes, at) => writer.number(embeddedIndexOf(bytes, at) - 1),
  timestamp,
  feeMultiplier,
  transaction: (writer, bytes, at) => writeEmbeddedFields(writer, acceptedEmbeddedEntity(transactionBytes(bytes, at))),
});

const write: Write<Buffer, AnyTransactionBody> = (writer, bytes, at) =>
  embeddedIndexOf(bytes, at) > 0 ? writeEmbedded(writer, bytes, at) : writeTopLevel(writer, bytes, at);

/** A confirmed transaction, with its REST body as in searches: aggregates without embedded transactions. */
export class TransactionEntry extends RenderedEntry {
  readonly isAggregate: boolean;

  /** @param bytes with its row, whose record starts at `at` */
  constructor(id: Buffer, bytes: Buffer, at: number) {
    super(id, write, bytes, at);
    this.isAggregate = isAggregate(bytes, at);
  }

  /** The embedded transactions, in order; undefined if they were not read. */
  get embedded(): readonly TransactionEntry[] | undefined {
    const { bytes, at, isAggregate } = this;
    if (!isAggregate) return [];
    const size = bytes.readUInt32LE(at + TRANSACTION + VERIFIABLE.size);
    return size > sizeAt(bytes, at) - TRANSACTION ? undefined : embeddedEntries(bytes, at);
  }
}

/** The embedded transactions in the record of a whole aggregate, in order. */
export function embeddedEntries(bytes: Buffer, at: number): TransactionEntry[] {
  const aggregate = transactionBytes(bytes, at);
  if (!asAggregate(acceptedEntity(aggregate))) return [];
  return embeddedRanges(aggregate).map(({ start, end }, index) => {
    // A row of its own.
    const row = Buffer.concat([bytes.subarray(at - ID, at + TRANSACTION), aggregate.subarray(start, end)]);
    row.writeUInt32BE(bytes.readUInt32BE(at - INDEX) + index + 1, ID - INDEX);
    row.writeInt32BE(row.length - ID, ID - LENGTH_SIZE);
    return new TransactionEntry(entityIdAt(row, 0), row, ID);
  });
}

function bodiesWith(hash: Sql, largest = 0): Bodies<TransactionEntry> {
  return {
    type: "bytea",
    columns: ["hash", "position", "size", "embedded_size"],
    record: withSlice(sliceOf(largest), hash),
    entry: (id, bytes, at) => new TransactionEntry(id, bytes, at),
    write,
  };
}

/** The bodies of `transactions`: rendered from slices of `raw_blocks`. */
export const TRANSACTION_BODIES = bodiesWith(ANY_HASH);
/** The same for top-level transactions only, which have hashes of their own. */
export const TOP_BODIES = bodiesWith(sql`d.hash`);
/** The same, with embedded transactions unless they are large. */
export const LOOK_UP_BODIES = bodiesWith(sql`d.hash`, LOOK_UP_BYTES);
