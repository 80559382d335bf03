import { signData } from "../../catapult/crypto/signature.js";
import {
  AGGREGATE,
  COSIGNATURE,
  EMBEDDED,
  paddingSize,
  TRANSACTION,
  VERIFIABLE,
} from "../../catapult/entity/entity-layout.js";
import { transactionHash, transactionSigningBytes } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { embeddedTransactionsHash } from "../../catapult/verify/aggregate-hash.js";

/** Keys to sign with: by a function of its own, if there is one. */
export interface Keys {
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
  readonly sign?: (data: Buffer) => Buffer;
}

/** A transaction of any type and version, known or not. */
export interface TransactionToMake {
  readonly signer: Keys;
  readonly type: number;
  readonly version: number;
  /** The bytes after the header. */
  readonly body: Buffer;
  /** Atomic units; default 1,000 of the currency. Of top-level transactions only. */
  readonly maxFee?: bigint;
  /** Milliseconds since the network's epoch; default an hour. Of top-level transactions only. */
  readonly deadline?: bigint;
}

/** A signed top-level transaction in the node's own bytes. */
export function makeTransaction(made: TransactionToMake, network: NetworkIdentity): Buffer {
  const header = writeHeader(made, network, VERIFIABLE, TRANSACTION.headerSize);
  header.writeBigUInt64LE(made.maxFee ?? 1_000_000_000n, TRANSACTION.maxFee);
  header.writeBigUInt64LE(made.deadline ?? 3_600_000n, TRANSACTION.deadline);
  return signTransaction(sized(Buffer.concat([header, made.body])), made.signer, network);
}

/** An embedded transaction, without the padding after it. */
export function makeEmbedded(made: TransactionToMake, network: NetworkIdentity): Buffer {
  return sized(Buffer.concat([writeHeader(made, network, EMBEDDED, EMBEDDED.headerSize), made.body]));
}

/** The body of an aggregate of embedded transactions, with room for cosignatures; its hash is filled in by `signAggregate`. */
export function aggregateBody(embedded: readonly Buffer[], cosigners: number): Buffer {
  const fixed = Buffer.alloc(AGGREGATE.headerSize - TRANSACTION.headerSize);
  const parts = embedded.flatMap((one) => [one, Buffer.alloc(paddingSize(one.length))]);
  const payload = Buffer.concat(parts);
  fixed.writeUInt32LE(payload.length, AGGREGATE.payloadSize - TRANSACTION.headerSize);
  return Buffer.concat([fixed, payload, Buffer.alloc(COSIGNATURE.size * cosigners)]);
}

/** Fills in the hash over the embedded transactions, the signature, and those of cosigners (104 bytes each at the end). */
export function signAggregate(
  bytes: Buffer,
  signer: Keys,
  cosigners: readonly Keys[],
  network: NetworkIdentity,
): Buffer {
  embeddedTransactionsHash(bytes).copy(bytes, AGGREGATE.transactionsHash);
  signTransaction(bytes, signer, network);
  const hash = transactionHash(bytes, network);
  for (const [index, cosigner] of cosigners.entries()) {
    const start = bytes.length - COSIGNATURE.size * (cosigners.length - index);
    cosigner.publicKey.copy(bytes, start + 8);
    signWith(cosigner, hash).copy(bytes, start + 40);
  }
  return bytes;
}

/** A complete aggregate of embedded transactions, with all signatures. */
export function makeAggregate(
  embedded: readonly Buffer[],
  made: Omit<TransactionToMake, "type" | "body">,
  network: NetworkIdentity,
  cosigners: readonly Keys[] = [],
): Buffer {
  const body = aggregateBody(embedded, cosigners.length);
  const bytes = makeTransaction({ ...made, type: TRANSACTION_TYPE.aggregate_complete, body }, network);
  return signAggregate(bytes, made.signer, cosigners, network);
}

/** Signs a transaction in place. */
export function signTransaction(bytes: Buffer, signer: Keys, network: NetworkIdentity): Buffer {
  signWith(signer, transactionSigningBytes(bytes, network)).copy(bytes, VERIFIABLE.signature);
  return bytes;
}

function signWith({ privateKey, sign }: Keys, data: Buffer): Buffer {
  return sign?.(data) ?? signData(privateKey, data);
}

function writeHeader(
  { signer, type, version }: TransactionToMake,
  network: NetworkIdentity,
  layout: typeof VERIFIABLE | typeof EMBEDDED,
  headerSize: number,
): Buffer {
  const header = Buffer.alloc(headerSize);
  signer.publicKey.copy(header, layout.signerPublicKey);
  header.writeUInt8(version, layout.version);
  header.writeUInt8(network.identifier, layout.network);
  header.writeUInt16LE(type, layout.type);
  return header;
}

function sized(bytes: Buffer): Buffer {
  bytes.writeUInt32LE(bytes.length, 0);
  return bytes;
}
