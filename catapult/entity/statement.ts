import { hashedBytes, RECEIPT_HEADER_SIZE, type Receipt, readReceipt } from "../structs/receipt.js";
import { ByteReader } from "./byte-reader.js";
import { EntityError } from "./entity-error.js";
import { sha3 } from "./hashes.js";
import type { BlockStatement, ReceiptSource, ResolutionStatement, TransactionStatement } from "./model.js";

const STATEMENT_VERSION = 1;
/** The types in the headers of hashed statements. Source: catbuffer `receipt_type.cats`. */
const STATEMENT_TYPE = {
  transactionGroup: 0xe143,
  addressAliasResolution: 0xf143,
  mosaicAliasResolution: 0xf243,
} as const;
const ZERO_HASH = Buffer.alloc(32);

/** Whether a block has statements: a network that writes none has zeros for their hash, as the public test network's first block. */
export function hasStatement(receiptsHash: Buffer): boolean {
  return !receiptsHash.equals(ZERO_HASH);
}

/** Decodes the receipts of a block. */
class StatementReader extends ByteReader {
  readonly #whole: Buffer;
  /** Where the next field is, for errors: the list and the index in it, and the index of a receipt; -1 outside. */
  #list = "";
  #index = -1;
  #receipt = -1;

  constructor(whole: Buffer) {
    super(whole);
    this.#whole = whole;
  }

  /** Reads a list of items of at least `minSize` bytes each. */
  list<T>(name: string, minSize: number, read: () => T): T[] {
    const count = this.count(minSize, name);
    const all: T[] = [];
    this.#list = name;
    for (this.#index = 0; this.#index < count; ++this.#index) all.push(read());
    this.#index = -1;
    return all;
  }

  /** The bytes from an offset to the next field. */
  since(start: number): Buffer {
    return this.#whole.subarray(start, this.offset);
  }

  /** A count of items of at least `minSize` bytes each. */
  count(minSize: number, field: string): number {
    const count = this.uint32(field);
    this.room(count, minSize, field);
    return count;
  }

  source(): ReceiptSource {
    return { primaryId: this.uint32("source"), secondaryId: this.uint32("source") };
  }

  receipts(): Receipt[] {
    const count = this.count(RECEIPT_HEADER_SIZE, "receipts");
    const all: Receipt[] = [];
    for (this.#receipt = 0; this.#receipt < count; ++this.#receipt) {
      const size = this.remaining < 4 ? 0 : this.peekUint32("size");
      if (size < RECEIPT_HEADER_SIZE) throw this.error("size", `is ${size}`);
      all.push(readReceipt(this.bytes(size, "size")));
    }
    this.#receipt = -1;
    return all;
  }

  error(field: string, problem: string): EntityError {
    const receipt = this.#receipt < 0 ? "" : `receipts[${this.#receipt}].`;
    const item = this.#index < 0 ? "" : `${this.#list}[${this.#index}].`;
    return new EntityError(`${item}${receipt}${field}`, problem);
  }
}

/** Orders sources as in the node: by primary, then by secondary id. */
export function compareSources(left: ReceiptSource, right: ReceiptSource): number {
  return left.primaryId - right.primaryId || left.secondaryId - right.secondaryId;
}

/** What a resolution says at a position in its block: its last entry up to there, undefined before the first one. */
export function entryAt<Entry extends { readonly source: ReceiptSource }>(
  entries: readonly Entry[],
  position: ReceiptSource,
): Entry | undefined {
  return entries.findLast(({ source }) => compareSources(source, position) <= 0);
}

function sourceBytes(source: ReceiptSource): Buffer {
  const bytes = Buffer.allocUnsafe(8);
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

const TRANSACTION_GROUP = statementHeader(STATEMENT_TYPE.transactionGroup);

/**
 * Hash (32 bytes) of the receipts of one source: a leaf of the receipts tree. Source: catapult's
 * `TransactionStatement::hash`: the sizes of receipts are not hashed.
 */
export function transactionStatementHash(source: ReceiptSource, receipts: readonly Pick<Receipt, "bytes">[]): Buffer {
  const parts: Uint8Array[] = [TRANSACTION_GROUP, sourceBytes(source)];
  for (const receipt of receipts) parts.push(hashedBytes(receipt));
  // Not spread: a block can have more receipts than a function has arguments.
  return sha3(Buffer.concat(parts));
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

function readTransactionStatement(reader: StatementReader): TransactionStatement {
  const start = reader.offset;
  const source = reader.source();
  const receipts = reader.receipts();
  return { source, receipts, hash: transactionStatementHash(source, receipts), bytes: reader.since(start) };
}

function readResolution<T>(
  reader: StatementReader,
  size: number,
  type: number,
  value: (bytes: Buffer) => T,
): ResolutionStatement<T> {
  const start = reader.offset;
  const key = reader.bytes(size, "unresolved");
  const entrySize = 8 + size;
  const count = reader.count(entrySize, "entries");
  const entryBytes = reader.bytes(count * entrySize, "entries");
  const entries: { source: ReceiptSource; resolved: T }[] = [];
  for (let at = 0; at < entryBytes.length; at += entrySize) {
    const source = { primaryId: entryBytes.readUInt32LE(at), secondaryId: entryBytes.readUInt32LE(at + 4) };
    entries.push({ source, resolved: value(entryBytes.subarray(at + 8, at + entrySize)) });
  }
  const hash = resolutionHash(type, key, entryBytes);
  return { unresolved: value(key), entries, hash, bytes: reader.since(start) };
}

/**
 * Decodes the response to a block statement request: all receipts of a block, with the hash of each statement.
 * Source: catapult's `io/BlockStatementSerializer`. Throws `EntityError`, naming the position, unless the bytes are
 * consumed exactly.
 */
export function decodeStatement(bytes: Buffer): BlockStatement {
  const reader = new StatementReader(bytes);
  const { addressAliasResolution, mosaicAliasResolution } = STATEMENT_TYPE;
  const transactionStatements = reader.list("transactionStatements", 12, () => readTransactionStatement(reader));
  const addressResolutions = reader.list("addressResolutions", 28, () =>
    readResolution(reader, 24, addressAliasResolution, (value) => value),
  );
  const mosaicResolutions = reader.list("mosaicResolutions", 12, () =>
    readResolution(reader, 8, mosaicAliasResolution, (value) => value.readBigUInt64LE(0)),
  );
  if (reader.remaining !== 0) throw new EntityError("statement", `has ${reader.remaining} bytes after its end`);
  return { transactionStatements, addressResolutions, mosaicResolutions };
}

/** Decodes some statements of a block, as in the bytes of the block's statement, where each kind follows its number. */
export function decodeStatements(parts: {
  readonly transactions?: readonly Buffer[] | undefined;
  readonly addresses?: readonly Buffer[] | undefined;
  readonly mosaics?: readonly Buffer[] | undefined;
}): BlockStatement {
  const { transactions = [], addresses = [], mosaics = [] } = parts;
  const counted = [transactions, addresses, mosaics].flatMap((all) => {
    const count = Buffer.alloc(4);
    count.writeUInt32LE(all.length);
    return [count, ...all];
  });
  return decodeStatement(Buffer.concat(counted));
}

/** The leaves of a block's receipts tree in order. */
export function statementHashes(statement: BlockStatement): Buffer[] {
  const { transactionStatements, addressResolutions, mosaicResolutions } = statement;
  return [...transactionStatements, ...addressResolutions, ...mosaicResolutions].map((one) => one.hash);
}

/** Number of statements of all kinds. */
export function statementsCount({ transactionStatements, addressResolutions, mosaicResolutions }: BlockStatement) {
  return transactionStatements.length + addressResolutions.length + mosaicResolutions.length;
}
