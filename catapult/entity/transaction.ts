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
  VERIFIABLE,
} from "./entity-layout.js";
import {
  aligned,
  deserialize,
  readableForm,
  readEmbedded,
  readTopLevel,
  restoreNetwork,
  topLevelClass,
} from "./entity-reader.js";
import { merkleComponentHash, transactionHash } from "./hashes.js";
import type { BlockTransaction, EmbeddedTransaction, NetworkIdentity } from "./model.js";
import { relatedAddresses, uniqueAddresses } from "./related-addresses.js";
import { isUnknown, UnknownEmbeddedTransaction, UnknownTransaction } from "./unknown-transaction.js";

/** An aggregate transaction of any version, as `symbol-sdk` models it. */
export type AggregateEntity = models.AggregateCompleteTransactionV2 | models.AggregateBondedTransactionV2;

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
 * How bytes are read. `announced`: what a node rejects is rejected, and bytes that nothing covers have to be zero.
 * `accepted`: bytes that consensus accepted, so whatever its fields hold a transaction is read; one of an unknown type or
 * version, or with a body that does not fit them, becomes an `UnknownTransaction`. Only sizes that do not add up are rejected.
 */
export type Reading = "announced" | "accepted";

function readEmbeddedTransaction(
  bytes: Buffer,
  network: NetworkIdentity,
  path: string,
  reading: Reading,
): models.EmbeddedTransaction {
  if (reading === "announced") {
    requireZeros(bytes, EMBEDDED.headerReserved, EMBEDDED.signerPublicKey, `${path}.reserved`);
    requireZeros(bytes, EMBEDDED.bodyReserved, EMBEDDED.version, `${path}.reserved`);
    requireNetwork(bytes[EMBEDDED.network], network, path);
    return readEmbedded(bytes, path);
  }
  return knownOrNot(
    () =>
      restoreNetwork(readEmbedded(readableForm(bytes, EMBEDDED, EMBEDDED.headerSize), path), bytes[EMBEDDED.network]!),
    (problem) => new UnknownEmbeddedTransaction(bytes, problem),
  );
}

function knownOrNot<T>(read: () => T, unknown: (problem: string) => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    return unknown(error.message);
  }
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

function readAggregate(bytes: Buffer, network: NetworkIdentity, path: string, reading: Reading): AggregateEntity {
  if (bytes.length < AGGREGATE.headerSize) throw new EntityError(`${path}.size`, `${bytes.length} is too small`);
  if (reading === "announced") requireZeros(bytes, AGGREGATE.reserved, AGGREGATE.headerSize, `${path}.reserved`);
  const ranges = embeddedRanges(bytes, path);

  const header = Buffer.alloc(AGGREGATE.headerSize);
  bytes.copy(header, 0, 0, AGGREGATE.headerSize);
  header.writeUInt32LE(AGGREGATE.headerSize, VERIFIABLE.size);
  header.fill(0, AGGREGATE.payloadSize, AGGREGATE.headerSize);
  const readable = readableForm(header, VERIFIABLE);
  const aggregate = deserialize(topLevelClass(bytes, path), readable, path) as AggregateEntity;
  restoreNetwork(aggregate, bytes[VERIFIABLE.network]!);

  aggregate.transactions = ranges.map(({ start, end }, index) => {
    const embeddedPath = `${path}.embedded[${index}]`;
    if (reading === "announced") requireZeros(bytes, end, end + paddingSize(end - start), `${embeddedPath}.padding`);
    return readEmbeddedTransaction(bytes.subarray(start, end), network, embeddedPath, reading);
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

function requireSize(bytes: Buffer, path: string): void {
  if (bytes.length < TRANSACTION.headerSize)
    throw new EntityError(`${path}.size`, `${bytes.length} bytes are no transaction, which has at least 128`);
  const size = bytes.readUInt32LE(VERIFIABLE.size);
  if (size !== bytes.length) throw new EntityError(`${path}.size`, `is ${size}, but there are ${bytes.length} bytes`);
}

function readAnnounced(bytes: Buffer, network: NetworkIdentity, path: string): models.Transaction {
  requireZeros(bytes, VERIFIABLE.headerReserved, VERIFIABLE.signature, `${path}.reserved`);
  requireZeros(bytes, VERIFIABLE.bodyReserved, VERIFIABLE.version, `${path}.reserved`);
  requireNetwork(bytes[VERIFIABLE.network], network, path);
  const isAggregate = isAggregateType(bytes.readUInt16LE(VERIFIABLE.type));
  topLevelClass(bytes, path);
  return isAggregate ? readAggregate(bytes, network, path, "announced") : readTopLevel(bytes, path);
}

function readAccepted(bytes: Buffer, network: NetworkIdentity, path: string): models.Transaction {
  const unknown = (problem: string) => new UnknownTransaction(bytes, problem);
  if (!isAggregateType(bytes.readUInt16LE(VERIFIABLE.type)))
    return knownOrNot(
      () =>
        restoreNetwork(
          readTopLevel(readableForm(bytes, VERIFIABLE, TRANSACTION.headerSize), path),
          bytes[VERIFIABLE.network]!,
        ),
      unknown,
    );
  try {
    topLevelClass(bytes, path);
  } catch (error) {
    if (!(error instanceof EntityError)) throw error;
    return unknown(error.message);
  }
  // The sizes inside an aggregate are covered by no hash of their own: wrong ones are the node's, not the transaction's.
  return readAggregate(bytes, network, path, "accepted");
}

/** The aggregate behind a decoded transaction, or undefined when it is none, or one of an unknown version. */
export function asAggregate(transaction: models.Transaction): AggregateEntity | undefined {
  const isAggregate = isAggregateType(transaction.type.value) && !isUnknown(transaction);
  return isAggregate ? (transaction as AggregateEntity) : undefined;
}

/** Where a transaction stands: index among the block's top-level ones (default 0), and the block's height (default 0: in none yet). */
export interface TransactionPlace {
  readonly index?: number;
  readonly height?: number;
  /** How error messages call it, by default `transaction`. */
  readonly path?: string;
  /** Default `announced`. */
  readonly reading?: Reading;
}

/** Public keys of the cosigners that the tree of transactions covers: of an aggregate of an unknown version as those of today have them. */
function cosignerPublicKeys(bytes: Buffer, entity: models.Transaction): Uint8Array[] {
  if (!isAggregateType(entity.type.value)) return [];
  const aggregate = asAggregate(entity);
  if (aggregate) return aggregate.cosignatures.map(({ signerPublicKey }) => signerPublicKey.bytes);
  const end =
    bytes.length < AGGREGATE.headerSize
      ? bytes.length
      : AGGREGATE.headerSize + bytes.readUInt32LE(AGGREGATE.payloadSize);
  if ((bytes.length - end) % COSIGNATURE_SIZE !== 0) return [];
  const keys: Uint8Array[] = [];
  for (let start = end; start < bytes.length; start += COSIGNATURE_SIZE)
    keys.push(bytes.subarray(start + 8, start + 40));
  return keys;
}

/**
 * Decodes one top-level transaction that fills `bytes` exactly, with its hashes and related addresses; signatures and the
 * hash over embedded transactions are not checked here (see `verify.ts`).
 * Throws `EntityError` on sizes that do not add up, and what was `announced` also on an unknown type or version, another
 * network, and bytes that are not zero where zeros belong.
 */
export function decodeTransaction(
  bytes: Buffer,
  network: NetworkIdentity,
  place: TransactionPlace = {},
): BlockTransaction {
  const { index = 0, height = 0, path = "transaction", reading = "announced" } = place;
  const own = aligned(bytes);
  requireSize(own, path);
  const entity = reading === "announced" ? readAnnounced(own, network, path) : readAccepted(own, network, path);
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
    merkleComponentHash: merkleComponentHash(hash, cosignerPublicKeys(own, entity)),
    signerAddress,
    relatedAddresses: aggregate
      ? uniqueAddresses([signerAddress, ...embedded.flatMap((inner) => inner.relatedAddresses)])
      : addresses(entity),
    embedded,
  };
}
