import { merkleRoot } from "../crypto/merkle.js";
import type { MosaicAmount } from "../structs/nested-structs.js";
import { TRANSACTION_TYPE } from "../structs/type-names.js";
import { type Cosignature, encodeCosignature } from "./cosignature.js";
import { AGGREGATE, EMBEDDED, paddingSize, TRANSACTION, VERIFIABLE } from "./entity-layout.js";
import { sha3 } from "./hashes.js";

/** The content of a transaction after its header. */
export interface TransactionContent {
  /** Entity type. */
  readonly type: number;
  readonly version: number;
  readonly body: Buffer;
}

/** What the header of a top-level transaction has besides its type. */
export interface TransactionTerms {
  /** Network byte. */
  readonly network: number;
  /** 32 bytes. */
  readonly signerPublicKey: Buffer;
  /** Atomic units of the currency. */
  readonly maxFee: bigint;
  /** The deadline, in ms since the network's epoch. */
  readonly deadline: bigint;
}

const TRANSFER_FIXED_SIZE = 32;
const MOSAIC_SIZE = 16;

function mosaicBytes({ mosaicId, amount }: MosaicAmount): Buffer {
  const bytes = Buffer.alloc(MOSAIC_SIZE);
  bytes.writeBigUInt64LE(mosaicId);
  bytes.writeBigUInt64LE(amount, 8);
  return bytes;
}

/**
 * A transfer. Mosaics are written in ascending order of their ids, as nodes require.
 * @throws RangeError for more than 255 mosaics or a message of more than 65535 bytes
 */
export function transferContent(
  recipientAddress: Buffer,
  mosaics: readonly MosaicAmount[],
  message: Buffer,
): TransactionContent {
  const head = Buffer.alloc(TRANSFER_FIXED_SIZE);
  recipientAddress.copy(head);
  head.writeUInt16LE(message.length, 24);
  head.writeUInt8(mosaics.length, 26);
  const sorted = mosaics.toSorted((a, b) => (a.mosaicId < b.mosaicId ? -1 : 1));
  const body = Buffer.concat([head, ...sorted.map(mosaicBytes), message]);
  return { type: TRANSACTION_TYPE.transfer, version: 1, body };
}

/** A hash lock of an aggregate's hash (32 bytes) for a number of blocks. */
export function hashLockContent(mosaic: MosaicAmount, duration: bigint, hash: Buffer): TransactionContent {
  const blocks = Buffer.alloc(8);
  blocks.writeBigUInt64LE(duration);
  return { type: TRANSACTION_TYPE.hash_lock, version: 1, body: Buffer.concat([mosaicBytes(mosaic), blocks, hash]) };
}

/** An embedded transaction of a signer (32 bytes), without padding. */
export function embeddedBytes(content: TransactionContent, signerPublicKey: Buffer, network: number): Buffer {
  const bytes = Buffer.alloc(EMBEDDED.headerSize + content.body.length);
  bytes.writeUInt32LE(bytes.length, EMBEDDED.size);
  signerPublicKey.copy(bytes, EMBEDDED.signerPublicKey);
  bytes[EMBEDDED.version] = content.version;
  bytes[EMBEDDED.network] = network;
  bytes.writeUInt16LE(content.type, EMBEDDED.type);
  content.body.copy(bytes, EMBEDDED.headerSize);
  return bytes;
}

/** An aggregate of embedded transactions (without padding) with the cosignatures that it is to have. */
export function aggregateContent(
  { type, version }: Pick<TransactionContent, "type" | "version">,
  embedded: readonly Buffer[],
  cosignatures: readonly Cosignature[],
): TransactionContent {
  const padded = embedded.map((bytes) => Buffer.concat([bytes, Buffer.alloc(paddingSize(bytes.length))]));
  const payload = Buffer.concat(padded);
  const head = Buffer.alloc(AGGREGATE.headerSize - TRANSACTION.headerSize);
  merkleRoot(embedded.map((bytes) => sha3(bytes))).copy(head);
  head.writeUInt32LE(payload.length, AGGREGATE.payloadSize - TRANSACTION.headerSize);
  return { type, version, body: Buffer.concat([head, payload, ...cosignatures.map(encodeCosignature)]) };
}

/** A top-level transaction whose signature is zeros. */
export function unsignedTransaction(content: TransactionContent, terms: TransactionTerms): Buffer {
  const bytes = Buffer.alloc(TRANSACTION.headerSize + content.body.length);
  bytes.writeUInt32LE(bytes.length, VERIFIABLE.size);
  terms.signerPublicKey.copy(bytes, VERIFIABLE.signerPublicKey);
  bytes[VERIFIABLE.version] = content.version;
  bytes[VERIFIABLE.network] = terms.network;
  bytes.writeUInt16LE(content.type, VERIFIABLE.type);
  bytes.writeBigUInt64LE(terms.maxFee, TRANSACTION.maxFee);
  bytes.writeBigUInt64LE(terms.deadline, TRANSACTION.deadline);
  content.body.copy(bytes, TRANSACTION.headerSize);
  return bytes;
}
