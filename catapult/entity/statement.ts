import { ByteReader } from "./byte-reader.js";
import { EntityError } from "./entity-error.js";
import { sha3 } from "./hashes.js";
import type { BlockStatement, Receipt, ReceiptSource, ResolutionStatement, TransactionStatement } from "./model.js";
import { decodeReceipt, STATEMENT_TYPE } from "./receipt.js";

const STATEMENT_VERSION = 1;

/** Decodes the receipts of a block. */
class StatementReader extends ByteReader {
  readonly #whole: Buffer;

  constructor(whole: Buffer) {
    super(whole);
    this.#whole = whole;
  }

  /** The bytes from an offset to the next field. */
  since(start: number): Buffer {
    return this.#whole.subarray(start, this.offset);
  }

  /** A count of items of at least `leastSize` bytes each. */
  count(leastSize: number, field: string): number {
    const count = this.uint32(field);
    this.room(count, leastSize, field);
    return count;
  }

  source(field: string): ReceiptSource {
    return { primaryId: this.uint32(field), secondaryId: this.uint32(field) };
  }

  receipt(field: string): Receipt {
    const size = this.remaining < 4 ? 0 : this.peekUint32(`${field}.size`);
    if (size < 8) throw this.error(`${field}.size`, `is ${size}`);
    return decodeReceipt(this.bytes(size, `${field}.size`), field);
  }

  error(field: string, problem: string): EntityError {
    return new EntityError(field, problem);
  }
}

/** Orders sources as in the node: by primary, then by secondary id. */
export function compareSources(left: ReceiptSource, right: ReceiptSource): number {
  return left.primaryId - right.primaryId || left.secondaryId - right.secondaryId;
}

/** What a resolution says at a place in its block: its last entry up to there, undefined before the first one. */
export function entryAt<Entry extends { readonly source: ReceiptSource }>(
  entries: readonly Entry[],
  place: ReceiptSource,
): Entry | undefined {
  return entries.findLast(({ source }) => compareSources(source, place) <= 0);
}

function sourceBytes(source: ReceiptSource): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(source.primaryId, 0);
  bytes.writeUInt32LE(source.secondaryId, 4);
  return bytes;
}

function statementHeader(type: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16LE(STATEMENT_VERSION, 0);
  bytes.writeUInt16LE(type, 2);
  return bytes;
}

/**
 * Hash (32 bytes) of the receipts of one source: a leaf of the receipts tree. Source: catapult's
 * `TransactionStatement::hash`: the sizes of receipts are not hashed.
 */
export function transactionStatementHash(source: ReceiptSource, receipts: readonly Pick<Receipt, "bytes">[]): Buffer {
  const header = statementHeader(STATEMENT_TYPE.transactionGroup);
  return sha3(header, sourceBytes(source), ...receipts.map((receipt) => receipt.bytes.subarray(4)));
}

function resolutionHash(type: number, unresolved: Buffer, entries: Buffer): Buffer {
  return sha3(statementHeader(type), unresolved, entries);
}

function uint64Bytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Hash (32 bytes) of the resolutions of one address in a block: a leaf of the receipts tree. */
export function addressResolutionHash(
  unresolved: Buffer,
  entries: readonly { readonly source: ReceiptSource; readonly resolved: Buffer }[],
): Buffer {
  const entryBytes = entries.flatMap(({ source, resolved }) => [sourceBytes(source), resolved]);
  return resolutionHash(STATEMENT_TYPE.addressAliasResolution, unresolved, Buffer.concat(entryBytes));
}

/** Hash (32 bytes) of the resolutions of one mosaic id in a block: a leaf of the receipts tree. */
export function mosaicResolutionHash(
  unresolved: bigint,
  entries: readonly { readonly source: ReceiptSource; readonly resolved: bigint }[],
): Buffer {
  const entryBytes = entries.flatMap(({ source, resolved }) => [sourceBytes(source), uint64Bytes(resolved)]);
  return resolutionHash(STATEMENT_TYPE.mosaicAliasResolution, uint64Bytes(unresolved), Buffer.concat(entryBytes));
}

function readTransactionStatement(reader: StatementReader, path: string): TransactionStatement {
  const start = reader.offset;
  const source = reader.source(`${path}.source`);
  const receipts: Receipt[] = [];
  const count = reader.count(8, `${path}.receipts`);
  for (let i = 0; i < count; ++i) receipts.push(reader.receipt(`${path}.receipts[${i}]`));
  return { source, receipts, hash: transactionStatementHash(source, receipts), bytes: reader.since(start) };
}

function readResolution<T>(
  reader: StatementReader,
  path: string,
  size: number,
  type: number,
  value: (bytes: Buffer) => T,
): ResolutionStatement<T> {
  const start = reader.offset;
  const key = reader.bytes(size, `${path}.unresolved`);
  const entrySize = 8 + size;
  const count = reader.count(entrySize, `${path}.entries`);
  const entryBytes = reader.bytes(count * entrySize, `${path}.entries`);
  const entries: { source: ReceiptSource; resolved: T }[] = [];
  for (let at = 0; at < entryBytes.length; at += entrySize) {
    const source = { primaryId: entryBytes.readUInt32LE(at), secondaryId: entryBytes.readUInt32LE(at + 4) };
    entries.push({ source, resolved: value(entryBytes.subarray(at + 8, at + entrySize)) });
  }
  const hash = resolutionHash(type, key, entryBytes);
  return { unresolved: value(key), entries, hash, bytes: reader.since(start) };
}

function readAll<T>(reader: StatementReader, name: string, leastSize: number, read: (path: string) => T): T[] {
  const count = reader.count(leastSize, name);
  const all: T[] = [];
  for (let i = 0; i < count; ++i) all.push(read(`${name}[${i}]`));
  return all;
}

/**
 * Decodes the response to a block statement request: all receipts of a block, with the hash of each statement.
 * Source: catapult's `io/BlockStatementSerializer`. Throws `EntityError`, naming the position, unless the bytes are
 * consumed exactly.
 */
export function decodeStatement(bytes: Buffer): BlockStatement {
  const reader = new StatementReader(bytes);
  const transactionStatements = readAll(reader, "transactionStatements", 12, (path) =>
    readTransactionStatement(reader, path),
  );
  const addressResolutions = readAll(reader, "addressResolutions", 28, (path) => {
    const { addressAliasResolution } = STATEMENT_TYPE;
    return readResolution(reader, path, 24, addressAliasResolution, (value) => value);
  });
  const mosaicResolutions = readAll(reader, "mosaicResolutions", 12, (path) => {
    const { mosaicAliasResolution } = STATEMENT_TYPE;
    return readResolution(reader, path, 8, mosaicAliasResolution, (value) => value.readBigUInt64LE(0));
  });
  if (reader.remaining !== 0) throw new EntityError("statement", `has ${reader.remaining} bytes after its end`);
  return { transactionStatements, addressResolutions, mosaicResolutions };
}

/** The leaves of a block's receipts tree in order. */
export function statementHashes(statement: BlockStatement): Buffer[] {
  return [...statement.transactionStatements, ...statement.addressResolutions, ...statement.mosaicResolutions].map(
    (one) => one.hash,
  );
}

/** Number of statements of all kinds. */
export function statementsCount({ transactionStatements, addressResolutions, mosaicResolutions }: BlockStatement) {
  return transactionStatements.length + addressResolutions.length + mosaicResolutions.length;
}
