import { models } from "symbol-sdk/symbol";
import { addressOfPublicKey } from "./address.js";
import { EntityError } from "./entity-error.js";
import {
  AGGREGATE,
  COSIGNATURE_SIZE,
  EMBEDDED,
  isAggregateType,
  paddingSize,
  TRANSACTION,
  TRANSACTION_TYPE,
  VERIFIABLE,
} from "./entity-layout.js";
import { merkleComponentHash, transactionHash } from "./hashes.js";
import type { BlockTransaction, EmbeddedTransaction, NetworkIdentity } from "./model.js";
import { relatedAddresses, uniqueAddresses } from "./related-addresses.js";
import type { UnhashedBytes } from "./unhashed-bytes.js";

/** An aggregate transaction of any version, as `symbol-sdk` models it. */
export type AggregateEntity = models.AggregateCompleteTransactionV2 | models.AggregateBondedTransactionV2;

interface EntityClass<T> {
  deserialize(payload: Uint8Array): T;
}

const TOP_LEVEL_CLASSES = new Map<number, EntityClass<models.Transaction>>();
const EMBEDDED_CLASSES = new Map<number, EntityClass<models.EmbeddedTransaction>>();
for (const [name, entityClass] of Object.entries(models)) {
  const { TRANSACTION_TYPE: type, TRANSACTION_VERSION: version } = entityClass as unknown as {
    TRANSACTION_TYPE?: { value: number };
    TRANSACTION_VERSION?: number;
  };
  if (type === undefined || version === undefined) continue;
  const classes: Map<number, unknown> = name.startsWith("Embedded") ? EMBEDDED_CLASSES : TOP_LEVEL_CLASSES;
  classes.set(classKey(type.value, version), entityClass);
}

function classKey(type: number, version: number): number {
  return type * 256 + version;
}

function findClass<T>(classes: Map<number, EntityClass<T>>, type: number, version: number, path: string) {
  const entityClass = classes.get(classKey(type, version));
  if (entityClass !== undefined) return entityClass;
  const hexType = `0x${type.toString(16)}`;
  const isKnownType = [...classes.keys()].some((key) => key >> 8 === type);
  if (isKnownType)
    throw new EntityError(`${path}.version`, `${version} is unknown for a transaction of type ${hexType}`);
  throw new EntityError(`${path}.type`, `${hexType} is no known transaction type`);
}

/** A view of the same bytes that begins on an 8-byte boundary of its memory, as `symbol-sdk` needs it: a copy where necessary. */
export function aligned(bytes: Buffer): Buffer {
  if (bytes.byteOffset % 8 === 0) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/** Throws `EntityError` unless these bytes are zero. */
export function requireZeros(bytes: Buffer, start: number, end: number, field: string): void {
  for (let offset = start; offset < end; ++offset)
    if (bytes[offset] !== 0)
      throw new EntityError(field, `has a byte 0x${bytes[offset]!.toString(16)} where zeros belong`);
}

/** Throws `EntityError` unless the network byte is this network's. */
export function requireNetwork(byte: number | undefined, network: NetworkIdentity, path: string): void {
  if (byte !== network.identifier)
    throw new EntityError(`${path}.network`, `is ${byte} instead of ${network.identifier}`);
}

/**
 * Account operation restrictions may name transaction types that nobody knows, which `symbol-sdk` refuses to read.
 * So it is given a copy that names a known type, and the types are put in afterwards.
 */
function deserializeOperationRestriction<T>(entityClass: EntityClass<T>, bytes: Buffer, bodyOffset: number): T {
  const valuesOffset = bodyOffset + 8;
  const additionsCount = bytes[bodyOffset + 2] ?? 0;
  const valuesCount = additionsCount + (bytes[bodyOffset + 3] ?? 0);
  if (bytes.length !== valuesOffset + 2 * valuesCount) return entityClass.deserialize(bytes);
  const copy = Buffer.alloc(bytes.length);
  bytes.copy(copy);
  const types: models.TransactionType[] = [];
  for (let offset = valuesOffset; offset < bytes.length; offset += 2) {
    types.push(new models.TransactionType(bytes.readUInt16LE(offset)));
    copy.writeUInt16LE(models.TransactionType.TRANSFER.value, offset);
  }
  const entity = entityClass.deserialize(copy);
  const restriction = entity as unknown as models.AccountOperationRestrictionTransactionV1;
  restriction.restrictionAdditions = types.slice(0, additionsCount);
  restriction.restrictionDeletions = types.slice(additionsCount);
  return entity;
}

function deserialize<T extends { size: number }>(
  entityClass: EntityClass<T>,
  bytes: Buffer,
  path: string,
  read: (bytes: Buffer) => T = (payload) => entityClass.deserialize(payload),
): T {
  let entity: T;
  try {
    entity = read(aligned(bytes));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new EntityError(path, `cannot be read: ${problem}`, { cause: error });
  }
  if (entity.size !== bytes.length)
    throw new EntityError(`${path}.size`, `is ${bytes.length}, but the fields fill ${entity.size} bytes`);
  return entity;
}

/** Nodes let any reserved bytes pass in embedded transactions, and hash them; `symbol-sdk` must find zeros there. */
function withoutReserved(bytes: Buffer): Buffer {
  const copy = Buffer.alloc(bytes.length);
  bytes.copy(copy);
  copy.fill(0, EMBEDDED.headerReserved, EMBEDDED.signerPublicKey);
  copy.fill(0, EMBEDDED.bodyReserved, EMBEDDED.version);
  return copy;
}

function decodeEmbedded(
  original: Buffer,
  network: NetworkIdentity,
  path: string,
  unhashedBytes: UnhashedBytes,
): models.EmbeddedTransaction {
  const bytes = unhashedBytes === "clear" ? withoutReserved(original) : original;
  requireZeros(bytes, EMBEDDED.headerReserved, EMBEDDED.signerPublicKey, `${path}.reserved`);
  requireZeros(bytes, EMBEDDED.bodyReserved, EMBEDDED.version, `${path}.reserved`);
  requireNetwork(bytes[EMBEDDED.network], network, path);
  const type = bytes.readUInt16LE(EMBEDDED.type);
  const entityClass = findClass(EMBEDDED_CLASSES, type, bytes[EMBEDDED.version]!, path);
  return type === TRANSACTION_TYPE.accountOperationRestriction
    ? deserialize(entityClass, bytes, path, (b) => deserializeOperationRestriction(entityClass, b, EMBEDDED.headerSize))
    : deserialize(entityClass, bytes, path);
}

/** The embedded transactions of an aggregate as byte ranges, padding left out. Throws `EntityError` on wrong sizes. */
export function embeddedRanges(bytes: Buffer, path = "transaction"): { start: number; end: number }[] {
  const payloadSize = bytes.readUInt32LE(AGGREGATE.payloadSize);
  const payloadEnd = AGGREGATE.headerSize + payloadSize;
  if (payloadSize % 8 !== 0 || payloadEnd > bytes.length)
    throw new EntityError(`${path}.payloadSize`, `is ${payloadSize} in an aggregate of ${bytes.length} bytes`);
  if ((bytes.length - payloadEnd) % COSIGNATURE_SIZE !== 0)
    throw new EntityError(
      `${path}.cosignatures`,
      `fill ${bytes.length - payloadEnd} bytes, which is no multiple of 104`,
    );

  const ranges: { start: number; end: number }[] = [];
  let start: number = AGGREGATE.headerSize;
  while (start < payloadEnd) {
    const field = `${path}.embedded[${ranges.length}].size`;
    const left = payloadEnd - start;
    const size = left < EMBEDDED.headerSize ? 0 : bytes.readUInt32LE(start);
    if (size < EMBEDDED.headerSize || size > left) throw new EntityError(field, `is ${size} with ${left} bytes left`);
    ranges.push({ start, end: start + size });
    start += size + paddingSize(size);
  }
  return ranges;
}

function decodeAggregate(
  bytes: Buffer,
  network: NetworkIdentity,
  path: string,
  unhashedBytes: UnhashedBytes,
): AggregateEntity {
  if (bytes.length < AGGREGATE.headerSize) throw new EntityError(`${path}.size`, `${bytes.length} is too small`);
  requireZeros(bytes, AGGREGATE.reserved, AGGREGATE.headerSize, `${path}.reserved`);
  const ranges = embeddedRanges(bytes, path);

  const header = Buffer.alloc(AGGREGATE.headerSize);
  bytes.copy(header, 0, 0, AGGREGATE.headerSize);
  header.writeUInt32LE(AGGREGATE.headerSize, VERIFIABLE.size);
  header.writeUInt32LE(0, AGGREGATE.payloadSize);
  const entityClass = findClass(
    TOP_LEVEL_CLASSES,
    bytes.readUInt16LE(VERIFIABLE.type),
    bytes[VERIFIABLE.version]!,
    path,
  );
  const aggregate = deserialize(entityClass, header, path) as AggregateEntity;

  aggregate.transactions = ranges.map(({ start, end }, index) => {
    const embeddedPath = `${path}.embedded[${index}]`;
    requireZeros(bytes, end, end + paddingSize(end - start), `${embeddedPath}.padding`);
    return decodeEmbedded(bytes.subarray(start, end), network, embeddedPath, unhashedBytes);
  });
  const cosignatures: models.Cosignature[] = [];
  const payloadEnd = AGGREGATE.headerSize + bytes.readUInt32LE(AGGREGATE.payloadSize);
  for (let start = payloadEnd; start < bytes.length; start += COSIGNATURE_SIZE) {
    const cosignaturePath = `${path}.cosignatures[${cosignatures.length}]`;
    cosignatures.push(
      deserialize(models.Cosignature, bytes.subarray(start, start + COSIGNATURE_SIZE), cosignaturePath),
    );
  }
  aggregate.cosignatures = cosignatures;
  return aggregate;
}

function decodeEntity(
  bytes: Buffer,
  network: NetworkIdentity,
  path: string,
  unhashedBytes: UnhashedBytes,
): models.Transaction {
  if (bytes.length < TRANSACTION.headerSize)
    throw new EntityError(`${path}.size`, `${bytes.length} bytes are no transaction, which has at least 128`);
  const size = bytes.readUInt32LE(VERIFIABLE.size);
  if (size !== bytes.length) throw new EntityError(`${path}.size`, `is ${size}, but there are ${bytes.length} bytes`);
  requireZeros(bytes, VERIFIABLE.headerReserved, VERIFIABLE.signature, `${path}.reserved`);
  requireZeros(bytes, VERIFIABLE.bodyReserved, VERIFIABLE.version, `${path}.reserved`);
  requireNetwork(bytes[VERIFIABLE.network], network, path);
  const type = bytes.readUInt16LE(VERIFIABLE.type);
  const entityClass = findClass(TOP_LEVEL_CLASSES, type, bytes[VERIFIABLE.version]!, path);
  if (isAggregateType(type)) return decodeAggregate(bytes, network, path, unhashedBytes);
  return type === TRANSACTION_TYPE.accountOperationRestriction
    ? deserialize(entityClass, bytes, path, (b) =>
        deserializeOperationRestriction(entityClass, b, TRANSACTION.headerSize),
      )
    : deserialize(entityClass, bytes, path);
}

/** The aggregate behind a decoded transaction, or undefined when it is none. */
export function asAggregate(transaction: models.Transaction): AggregateEntity | undefined {
  return isAggregateType(transaction.type.value) ? (transaction as AggregateEntity) : undefined;
}

/** Where a transaction stands: index among the block's top-level ones (default 0), and the block's height (default 0: in none yet). */
export interface TransactionPlace {
  readonly index?: number;
  readonly height?: number;
  /** How error messages call it, by default `transaction`. */
  readonly path?: string;
  /** Default `refuse`. With `clear` only those of embedded transactions are read as zeros; the others must have been cleared. */
  readonly unhashedBytes?: UnhashedBytes;
}

/**
 * Decodes one top-level transaction that fills `bytes` exactly, with its hashes and related addresses; signatures and the
 * hash over embedded transactions are not checked here (see `verify.ts`).
 * Throws `EntityError` on any other size, type, version, network, and on bytes that are not zero where zeros belong.
 */
export function decodeTransaction(
  bytes: Buffer,
  network: NetworkIdentity,
  place: TransactionPlace = {},
): BlockTransaction {
  const { index = 0, height = 0, path = "transaction", unhashedBytes = "refuse" } = place;
  const own = aligned(bytes);
  const entity = decodeEntity(own, network, path, unhashedBytes);
  const sinks = network.rentalFeeSinks?.(height);
  const aggregate = asAggregate(entity);
  const addresses = (transaction: models.Transaction | models.EmbeddedTransaction) =>
    relatedAddresses(transaction, network.identifier, sinks);
  const embedded: EmbeddedTransaction[] = (aggregate?.transactions ?? []).map((inner, innerIndex) => ({
    index: innerIndex,
    entity: inner,
    signerAddress: addressOfPublicKey(Buffer.from(inner.signerPublicKey.bytes), network.identifier),
    relatedAddresses: addresses(inner),
  }));
  const hash = transactionHash(own, network);
  const signerPublicKey = own.subarray(VERIFIABLE.signerPublicKey, VERIFIABLE.bodyReserved);
  const signerAddress = addressOfPublicKey(signerPublicKey, network.identifier);
  return {
    index,
    bytes: own,
    entity,
    hash,
    merkleComponentHash: merkleComponentHash(
      hash,
      (aggregate?.cosignatures ?? []).map((cosignature) => cosignature.signerPublicKey.bytes),
    ),
    signerAddress,
    relatedAddresses: aggregate
      ? uniqueAddresses([signerAddress, ...embedded.flatMap((inner) => inner.relatedAddresses)])
      : addresses(entity),
    embedded,
  };
}
