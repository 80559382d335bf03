import { models } from "symbol-sdk/symbol";
import { AGGREGATE, EMBEDDED, paddingSize, TRANSACTION, VERIFIABLE } from "../../catapult/entity/entity-layout.js";
import { generateMosaicId, generateNamespaceId } from "../../catapult/entity/generated-id.js";
import { transactionHash, transactionSigningBytes } from "../../catapult/entity/hashes.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { embeddedTransactionsHash } from "../../catapult/verify/aggregate-hash.js";
import type { Signer } from "../../devnet/network/signer.js";

/** A transfer as in a block or in an aggregate. */
export interface TransferFields {
  readonly signer: Signer;
  /** 24 bytes. */
  readonly recipient: Buffer;
  readonly mosaics: readonly { readonly id: bigint; readonly amount: bigint }[];
  readonly message: Buffer;
}

const TRANSFER_TYPE = models.TransactionType.TRANSFER.value;
const TRANSFER_VERSION = 1;
const AGGREGATE_VERSION = 2;
const COSIGNATURE_SIZE = 104;
/** How long namespaces are registered. */
const OWNED_BLOCKS = 500_000n;

/** Bytes of a transfer after its header (layout: catbuffer `transfer.cats`). */
function transferBody({ recipient, mosaics, message }: TransferFields): Buffer {
  const fixed = Buffer.alloc(32 + 16 * mosaics.length);
  recipient.copy(fixed);
  fixed.writeUInt16LE(message.length, 24);
  fixed.writeUInt8(mosaics.length, 26);
  mosaics.forEach(({ id, amount }, index) => {
    fixed.writeBigUInt64LE(id, 32 + 16 * index);
    fixed.writeBigUInt64LE(amount, 40 + 16 * index);
  });
  return Buffer.concat([fixed, message]);
}

/** A signed transfer; the deadline is in ms since the network's epoch. */
export function generateTransfer(
  fields: TransferFields & { readonly maxFee: bigint; readonly deadline: number },
  network: NetworkIdentity,
): Buffer {
  const { signer } = fields;
  const bytes = Buffer.concat([
    header({ ...fields, type: TRANSFER_TYPE, version: TRANSFER_VERSION }, network),
    transferBody(fields),
  ]);
  return signed(bytes, signer, network);
}

/** A transaction of an aggregate. */
export interface Part {
  readonly signer: Signer;
  readonly type: number;
  readonly version: number;
  /** What follows the header. */
  readonly body: Buffer;
}

export function transferPart(fields: TransferFields): Part {
  return { signer: fields.signer, type: TRANSFER_TYPE, version: TRANSFER_VERSION, body: transferBody(fields) };
}

/** A mosaic, a root namespace and an entry of metadata of an account (address: 24 bytes), named by a number. */
export function ownedParts(signer: Signer, address: Buffer, number: number): Part[] {
  const name = Buffer.from(`name${number}`);
  const of = (type: number, body: Buffer): Part => ({ signer, type, version: 1, body });
  const mosaic = Buffer.alloc(22);
  mosaic.writeBigUInt64LE(generateMosaicId(address, number));
  mosaic.writeUInt32LE(number, 16);
  const namespace = Buffer.alloc(18);
  namespace.writeBigUInt64LE(OWNED_BLOCKS);
  namespace.writeBigUInt64LE(generateNamespaceId(name), 8);
  namespace.writeUInt8(name.length, 17);
  const metadata = Buffer.alloc(36);
  address.copy(metadata);
  metadata.writeBigUInt64LE(BigInt(number), 24);
  metadata.writeInt16LE(name.length, 32);
  metadata.writeUInt16LE(name.length, 34);
  return [
    of(TRANSACTION_TYPE.mosaic_definition, mosaic),
    of(TRANSACTION_TYPE.namespace_registration, Buffer.concat([namespace, name])),
    of(TRANSACTION_TYPE.account_metadata, Buffer.concat([metadata, name])),
  ];
}

/** A complete aggregate by its signer and its cosigners. */
export function generateAggregate(
  fields: {
    readonly signer: Signer;
    readonly cosigners: readonly Signer[];
    readonly parts: readonly Part[];
    readonly maxFee: bigint;
    readonly deadline: number;
  },
  network: NetworkIdentity,
): Buffer {
  const { signer, cosigners } = fields;
  const parts = fields.parts.map((part) => embedded(part, network));
  const aggregateHeader = Buffer.concat(
    [header({ ...fields, type: TRANSACTION_TYPE.aggregate_complete, version: AGGREGATE_VERSION }, network)],
    AGGREGATE.headerSize,
  );
  aggregateHeader.writeUInt32LE(
    parts.reduce((sum, { length }) => sum + length, 0),
    AGGREGATE.payloadSize,
  );
  const bytes = Buffer.concat([aggregateHeader, ...parts, Buffer.alloc(COSIGNATURE_SIZE * cosigners.length)]);
  embeddedTransactionsHash(bytes).copy(bytes, AGGREGATE.transactionsHash);
  signed(bytes, signer, network);
  const hash = transactionHash(bytes, network);
  cosigners.forEach((cosigner, index) => {
    const start = bytes.length - COSIGNATURE_SIZE * (cosigners.length - index);
    cosigner.publicKey.copy(bytes, start + 8);
    cosigner.sign(hash).copy(bytes, start + 40);
  });
  return bytes;
}

function header(
  of: {
    readonly signer: Signer;
    readonly type: number;
    readonly version: number;
    readonly maxFee: bigint;
    readonly deadline: number;
  },
  network: NetworkIdentity,
): Buffer {
  const bytes = Buffer.alloc(TRANSACTION.headerSize);
  of.signer.publicKey.copy(bytes, VERIFIABLE.signerPublicKey);
  bytes.writeUInt8(of.version, VERIFIABLE.version);
  bytes.writeUInt8(network.identifier, VERIFIABLE.network);
  bytes.writeUInt16LE(of.type, VERIFIABLE.type);
  bytes.writeBigUInt64LE(of.maxFee, TRANSACTION.maxFee);
  bytes.writeBigUInt64LE(BigInt(of.deadline), TRANSACTION.deadline);
  return bytes;
}

function embedded({ signer, type, version, body }: Part, network: NetworkIdentity): Buffer {
  const size = EMBEDDED.headerSize + body.length;
  const bytes = Buffer.alloc(size + paddingSize(size));
  bytes.writeUInt32LE(size, EMBEDDED.size);
  signer.publicKey.copy(bytes, EMBEDDED.signerPublicKey);
  bytes.writeUInt8(version, EMBEDDED.version);
  bytes.writeUInt8(network.identifier, EMBEDDED.network);
  bytes.writeUInt16LE(type, EMBEDDED.type);
  body.copy(bytes, EMBEDDED.headerSize);
  return bytes;
}

function signed(bytes: Buffer, signer: Signer, network: NetworkIdentity): Buffer {
  bytes.writeUInt32LE(bytes.length, VERIFIABLE.size);
  signer.sign(transactionSigningBytes(bytes, network)).copy(bytes, VERIFIABLE.signature);
  return bytes;
}
