import { type RawBuilder, sql } from "kysely";
import type { AnyTransactionBody } from "../../catapult/body/transaction.js";
import { AGGREGATE, isAggregateType, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { merkleComponentHash } from "../../catapult/entity/hashes.js";
import {
  acceptedEmbeddedEntity,
  acceptedEntity,
  asAggregate,
  cosignerPublicKeys,
  embeddedRanges,
} from "../../catapult/entity/transaction.js";
import type { Write } from "../../catapult/json/body-writer.js";
import {
  type BlockContext,
  type EmbeddedSource,
  type TransactionSource,
  writeEmbedded,
  writeTransaction,
} from "../../catapult/json/transaction.js";
import { type Bodies, RenderedEntry } from "./bodies.js";

/** Offsets in a record; the last two numbers are little-endian, as in the header of the block. */
const HASH = 0;
const TIMESTAMP = 32;
const FEE_MULTIPLIER = 40;
const TRANSACTION = 44;
/** Digits of an id before those of the index in an aggregate. */
const AGGREGATE_DIGITS = 18;
const EMBEDDED_DIGITS = 6;
/** Digits of the height at the start of an id. */
const HEIGHT_DIGITS = 10;

/** Of an embedded transaction, the hash is that of its aggregate. */
const recordOf = (slice: RawBuilder<unknown>) => sql`(
  select coalesce(d.hash, (select t.hash from transactions t where t.id = d.id - (d.id & 4095)))
    || substring(r.block from 121 for 8) || substring(r.block from 369 for 4) || ${slice}
  from raw_blocks r where r.height = d.id >> 32)`;

/** An aggregate without its embedded transactions, which may have 100 kB: its header and its cosignatures. */
const record = recordOf(sql`case when d.embedded_size > 0
  then substring(r.block from d.position + 1 for ${sql.lit(AGGREGATE.headerSize)})
    || substring(r.block from d.position + 1 + ${sql.lit(AGGREGATE.headerSize)} + d.embedded_size
      for d.size - ${sql.lit(AGGREGATE.headerSize)} - d.embedded_size)
  else substring(r.block from d.position + 1 for d.size) end`);

/** The record of the row `d` of an aggregate with its embedded transactions. */
export const WHOLE_AGGREGATE = recordOf(sql`substring(r.block from d.position + 1 for d.size)`);

interface RecordParts {
  readonly hash: Buffer;
  readonly block: BlockContext;
  readonly bytes: Buffer;
  readonly index: number;
  readonly embeddedIndex: number;
}

function partsOf(id: string, bytes: Buffer): RecordParts {
  const block = {
    height: digitsOf(id, 0, HEIGHT_DIGITS),
    timestamp: bytes.readUInt32LE(TIMESTAMP + 4) * 2 ** 32 + bytes.readUInt32LE(TIMESTAMP),
    feeMultiplier: bytes.readUInt32LE(FEE_MULTIPLIER),
  };
  return {
    hash: bytes.subarray(HASH, TIMESTAMP),
    block,
    bytes: bytes.subarray(TRANSACTION),
    index: digitsOf(id, HEIGHT_DIGITS, AGGREGATE_DIGITS),
    embeddedIndex: digitsOf(id, AGGREGATE_DIGITS, id.length),
  };
}

/** The number in some hex digits of an id; decoding the id into bytes first takes a third of a microsecond more. */
function digitsOf(id: string, start: number, end: number): number {
  return Number.parseInt(id.slice(start, end), 16);
}

function transactionSource(id: string, { hash, block, bytes, index }: RecordParts): TransactionSource {
  // An aggregate may be without its embedded transactions: its cosignatures then follow its header.
  if (bytes.readUInt32LE(VERIFIABLE.size) > bytes.length) bytes.writeUInt32LE(0, AGGREGATE.payloadSize);
  const leaf = merkleComponentHash(hash, cosignerPublicKeys(bytes));
  return { id, block, entity: acceptedEntity(bytes), hash, merkleComponentHash: leaf, index };
}

function embeddedSource(id: string, { hash, block, bytes, embeddedIndex }: RecordParts): EmbeddedSource {
  const aggregateId = id.slice(0, AGGREGATE_DIGITS).padEnd(id.length, "0");
  const entity = acceptedEmbeddedEntity(bytes);
  return { id, block, entity, aggregateHash: hash, aggregateId, index: embeddedIndex - 1 };
}

interface TransactionRecord {
  readonly id: string;
  readonly record: Buffer;
}

const writeRecord: Write<TransactionRecord, AnyTransactionBody> = (writer, { id, record: bytes }) => {
  const parts = partsOf(id, bytes);
  if (parts.embeddedIndex > 0) return writeEmbedded(writer, embeddedSource(id, parts), 0);
  return writeTransaction(writer, transactionSource(id, parts), 0);
};

/** A confirmed transaction, with its REST body as in searches: aggregates without embedded transactions. */
export class TransactionEntry extends RenderedEntry<TransactionRecord> {
  readonly isAggregate: boolean;

  /** @param digits the id as 24 hex digits */
  constructor(digits: string, bytes: Buffer) {
    super(Buffer.from(digits, "hex"), writeRecord, { id: digits, record: bytes });
    this.isAggregate = isTopLevel(digits) && isAggregateType(bytes.readUInt16LE(TRANSACTION + VERIFIABLE.type));
  }
}

function isTopLevel(id: string): boolean {
  return id.endsWith("000000");
}

/** The embedded transactions in the record of a whole aggregate, in order. `id` is 24 hex digits. */
export function embeddedEntries(id: string, bytes: Buffer): TransactionEntry[] {
  const aggregate = bytes.subarray(TRANSACTION);
  if (!asAggregate(acceptedEntity(aggregate))) return [];
  return embeddedRanges(aggregate).map(({ start, end }, index) => {
    const place = (index + 1).toString(16).toUpperCase().padStart(EMBEDDED_DIGITS, "0");
    const inner = Buffer.concat([bytes.subarray(0, TRANSACTION), aggregate.subarray(start, end)]);
    return new TransactionEntry(`${id.slice(0, AGGREGATE_DIGITS)}${place}`, inner);
  });
}

/** The bodies of `transactions`: rendered from slices of `raw_blocks`. */
export const TRANSACTION_BODIES: Bodies<TransactionEntry, Buffer> = {
  type: "bytea",
  columns: ["hash", "position", "size", "embedded_size"],
  record,
  entry: (id, bytes) => new TransactionEntry(id, bytes),
  write: (writer, id, bytes) => writeRecord(writer, { id, record: bytes }, 0),
};
