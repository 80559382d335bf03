import { isAggregateType } from "../structs/type-names.js";
import { addressOfPublicKey } from "./address.js";
import { EntityError } from "./entity-error.js";
import { AGGREGATE, COSIGNATURE, EMBEDDED, paddingSize, TRANSACTION, VERIFIABLE } from "./entity-layout.js";
import { transactionHash } from "./hashes.js";
import { merkleComponentHash } from "./merkle-component.js";
import type { BlockTransaction, EmbeddedTransaction, NetworkIdentity } from "./model.js";
import { relatedAddresses, uniqueAddresses } from "./related-addresses.js";
import {
  type AggregateEntity,
  type BodyReader,
  EMBEDDED_READERS,
  type EmbeddedEntity,
  TRANSACTION_READERS,
  type TransactionEntity,
  unknownEmbedded,
  unknownTransaction,
} from "./transaction-entity.js";

/** Throws `EntityError` unless the network byte is this network's. */
export function requireNetwork(byte: number | undefined, network: NetworkIdentity, path: string): void {
  if (byte !== network.identifier)
    throw new EntityError(`${path}.network`, `is ${byte} instead of ${network.identifier}`);
}

/**
 * How bytes are decoded. `announced`: what a node rejects is rejected, and bytes that no hash covers have to be zero.
 * `accepted`: bytes that consensus accepted, so a transaction is decoded whatever its fields contain; one of an
 * unknown type or version, or with an invalid body, is of the kind `unknown`. Only sizes that do not add up are
 * rejected.
 */
export type Reading = "announced" | "accepted";

/** Why a transaction has no known type, version and body. */
interface ReadingProblem {
  readonly field: string;
  readonly problem: string;
}

/** The reader of a type and version of transactions, or why there is none. */
function readerFor(
  readers: ReadonlyMap<number, BodyReader>,
  type: number,
  version: number,
  path: string,
): BodyReader | ReadingProblem {
  const reader = readers.get(type);
  if (reader?.layout.versions.includes(version)) return reader;
  const hexType = `0x${type.toString(16)}`;
  if (!reader) return { field: `${path}.type`, problem: `${hexType} is not a known transaction type` };
  return { field: `${path}.version`, problem: `${version} is unknown for a transaction of type ${hexType}` };
}

function findReadingProblem(
  reader: BodyReader,
  bytes: Buffer,
  path: string,
  reading: Reading,
): ReadingProblem | undefined {
  const found = reader.problem(bytes, reading === "announced");
  return found && { field: `${path}.${found.field}`, problem: found.problem };
}

/** Rejects an announcement; of what consensus accepted, decodes as much as possible. */
function orUnknown<T>(reading: Reading, { field, problem }: ReadingProblem, unknown: (problem: string) => T): T {
  const error = new EntityError(field, problem);
  if (reading === "announced") throw error;
  return unknown(error.message);
}

function entityIn(bytes: Buffer, path: string, reading: Reading): TransactionEntity {
  const type = bytes.readUInt16LE(VERIFIABLE.type);
  const reader = readerFor(TRANSACTION_READERS, type, bytes[VERIFIABLE.version]!, path);
  if (!("view" in reader)) return orUnknown(reading, reader, (text) => unknownTransaction(bytes, text));
  const problem = isAggregateType(type) ? undefined : findReadingProblem(reader, bytes, path, reading);
  if (problem) return orUnknown(reading, problem, (text) => unknownTransaction(bytes, text));
  return reader.view(bytes) as TransactionEntity;
}

function embeddedEntityIn(bytes: Buffer, path: string, reading: Reading): EmbeddedEntity {
  const reader = readerFor(EMBEDDED_READERS, bytes.readUInt16LE(EMBEDDED.type), bytes[EMBEDDED.version]!, path);
  const problem = "view" in reader ? findReadingProblem(reader, bytes, path, reading) : reader;
  if (problem) return orUnknown(reading, problem, (text) => unknownEmbedded(bytes, text));
  return (reader as BodyReader).view(bytes) as EmbeddedEntity;
}

/** The fields of a top-level transaction that fills `bytes` and is part of the chain. */
export function acceptedEntity(bytes: Buffer): TransactionEntity {
  return entityIn(bytes, "transaction", "accepted");
}

/** The fields of an embedded transaction that fills `bytes` and is part of the chain. */
export function acceptedEmbeddedEntity(bytes: Buffer): EmbeddedEntity {
  return embeddedEntityIn(bytes, "embedded", "accepted");
}

function readEmbedded(bytes: Buffer, network: NetworkIdentity, path: string, reading: Reading): EmbeddedEntity {
  if (reading === "announced") requireNetwork(bytes[EMBEDDED.network], network, path);
  return embeddedEntityIn(bytes, path, reading);
}

/**
 * The embedded transactions of an aggregate as byte ranges, without padding. Throws `EntityError` for invalid sizes.
 */
export function embeddedRanges(bytes: Buffer, path = "transaction"): { start: number; end: number }[] {
  const payloadSize = bytes.readUInt32LE(AGGREGATE.payloadSize);
  const payloadEnd = AGGREGATE.headerSize + payloadSize;
  if (payloadSize % 8 !== 0 || payloadEnd > bytes.length)
    throw new EntityError(`${path}.payloadSize`, `is ${payloadSize} in an aggregate of ${bytes.length} bytes`);
  if ((bytes.length - payloadEnd) % COSIGNATURE.size !== 0)
    throw new EntityError(
      `${path}.cosignatures`,
      `fill ${bytes.length - payloadEnd} bytes, which is not a multiple of 104`,
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

/**
 * The sizes inside an aggregate are covered by no hash of their own: invalid ones come from the node, not from the
 * signer, so they are rejected in both modes.
 */
function decodeEmbedded(bytes: Buffer, network: NetworkIdentity, path: string, reading: Reading): EmbeddedEntity[] {
  if (bytes.length < AGGREGATE.headerSize) throw new EntityError(`${path}.size`, `${bytes.length} is too small`);
  return embeddedRanges(bytes, path).map(({ start, end }, index) =>
    readEmbedded(bytes.subarray(start, end), network, `${path}.embedded[${index}]`, reading),
  );
}

function requireSize(bytes: Buffer, path: string): void {
  if (bytes.length < TRANSACTION.headerSize)
    throw new EntityError(`${path}.size`, `${bytes.length} bytes are not a transaction, which has at least 128`);
  const size = bytes.readUInt32LE(VERIFIABLE.size);
  if (size !== bytes.length) throw new EntityError(`${path}.size`, `is ${size}, but there are ${bytes.length} bytes`);
}

interface ReadTransaction {
  readonly entity: TransactionEntity;
  readonly embedded: readonly EmbeddedEntity[];
}

const NO_EMBEDDED: readonly EmbeddedEntity[] = [];

function read(bytes: Buffer, network: NetworkIdentity, path: string, reading: Reading): ReadTransaction {
  if (reading === "announced") requireNetwork(bytes[VERIFIABLE.network], network, path);
  const entity = entityIn(bytes, path, reading);
  return { entity, embedded: asAggregate(entity) ? decodeEmbedded(bytes, network, path, reading) : NO_EMBEDDED };
}

/** The aggregate of a decoded transaction, or undefined if it is not one, or one of an unknown version. */
export function asAggregate(transaction: EmbeddedEntity | TransactionEntity): AggregateEntity | undefined {
  const { kind } = transaction;
  return kind === "aggregate_complete" || kind === "aggregate_bonded" ? (transaction as AggregateEntity) : undefined;
}

/** The addresses (24 bytes) of those who have cosigned a transaction: none unless it is an aggregate. */
export function cosignerAddresses({ entity }: { readonly entity: TransactionEntity }): Buffer[] {
  const cosignatures = asAggregate(entity)?.cosignatures ?? [];
  return cosignatures.map(({ signerPublicKey }) => addressOfPublicKey(signerPublicKey, entity.network));
}

/**
 * Position of a transaction: index among the block's top-level ones (default 0), and the block's height (default 0:
 * in no block).
 */
export interface TransactionPosition {
  readonly index?: number;
  readonly height?: number;
  /** Its name in error messages, by default `transaction`. */
  readonly path?: string;
  /** Default `announced`. */
  readonly reading?: Reading;
}

/**
 * Decodes one top-level transaction that fills `bytes` exactly, with its hashes and related addresses; signatures and
 * the hash over embedded transactions are not checked here (see `verify.ts`). Throws `EntityError` for sizes that do
 * not add up, and if `announced` also for an unknown type or version, another network, and reserved bytes of a body that
 * are not zero. Those of headers, and padding, may be anything: the node confirms such transactions.
 */
export function decodeTransaction(
  bytes: Buffer,
  network: NetworkIdentity,
  position: TransactionPosition = {},
): BlockTransaction {
  const { index = 0, height = 0, path = "transaction", reading = "announced" } = position;
  requireSize(bytes, path);
  const { entity, embedded: entities } = read(bytes, network, path, reading);
  const sinks = network.rentalFeeSinks?.(height);
  const embedded: EmbeddedTransaction[] = entities.map((inner, innerIndex) => {
    const signerAddress = addressOfPublicKey(inner.signerPublicKey, network.identifier);
    const addresses = relatedAddresses(inner, signerAddress, network.identifier, sinks);
    return { index: innerIndex, entity: inner, signerAddress, relatedAddresses: addresses };
  });
  const hash = transactionHash(bytes, network);
  const signerAddress = addressOfPublicKey(entity.signerPublicKey, network.identifier);
  return {
    index,
    bytes,
    entity,
    hash,
    merkleComponentHash: merkleComponentHash(hash, bytes),
    signerAddress,
    relatedAddresses: asAggregate(entity)
      ? uniqueAddresses([signerAddress, ...embedded.flatMap((inner) => inner.relatedAddresses)])
      : relatedAddresses(entity, signerAddress, network.identifier, sinks),
    embedded,
  };
}

/**
 * A top-level transaction of the chain that fills `bytes`, without its hashes and related addresses: what its effects
 * follow from.
 */
export function acceptedTransaction(
  bytes: Buffer,
  index: number,
): Pick<BlockTransaction, "index" | "bytes" | "entity" | "signerAddress"> & {
  readonly embedded: readonly Pick<EmbeddedTransaction, "index" | "entity" | "signerAddress">[];
} {
  const entity = acceptedEntity(bytes);
  const signerAddress = addressOfPublicKey(entity.signerPublicKey, entity.network);
  const ranges = asAggregate(entity) ? embeddedRanges(bytes) : [];
  const embedded = ranges.map(({ start, end }, position) => {
    const inner = acceptedEmbeddedEntity(bytes.subarray(start, end));
    // Its own network byte is covered by no rule.
    return { index: position, entity: inner, signerAddress: addressOfPublicKey(inner.signerPublicKey, entity.network) };
  });
  return { index, bytes, entity, signerAddress, embedded };
}
