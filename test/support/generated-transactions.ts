import { generateMosaicId, generateNamespaceId } from "../../catapult/entity/generated-id.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { type Keys, makeAggregate, makeEmbedded, makeTransaction, type TransactionToMake } from "./made-transaction.js";

/** A transfer as in a block or in an aggregate. */
export interface TransferFields {
  readonly signer: Keys;
  /** 24 bytes. */
  readonly recipient: Buffer;
  readonly mosaics: readonly { readonly id: bigint; readonly amount: bigint }[];
  readonly message: Buffer;
}

/** A transaction of an aggregate. */
type Part = Pick<TransactionToMake, "signer" | "type" | "version" | "body">;

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

export function transferPart(fields: TransferFields): Part {
  return { signer: fields.signer, type: TRANSACTION_TYPE.transfer, version: 1, body: transferBody(fields) };
}

/** A mosaic, a root namespace and an entry of metadata of an account (address: 24 bytes), named by a number. */
export function ownedParts(signer: Keys, address: Buffer, number: number): Part[] {
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

/** A signed transfer; the deadline is in ms since the network's epoch. */
export function generateTransfer(
  fields: TransferFields & { readonly maxFee: bigint; readonly deadline: number },
  network: NetworkIdentity,
): Buffer {
  const { maxFee, deadline } = fields;
  return makeTransaction({ ...transferPart(fields), maxFee, deadline: BigInt(deadline) }, network);
}

/** A complete aggregate by its signer and its cosigners. */
export function generateAggregate(
  fields: {
    readonly signer: Keys;
    readonly cosigners: readonly Keys[];
    readonly parts: readonly Part[];
    readonly maxFee: bigint;
    readonly deadline: number;
  },
  network: NetworkIdentity,
): Buffer {
  const { signer, cosigners, parts, maxFee, deadline } = fields;
  const embedded = parts.map((part) => makeEmbedded(part, network));
  return makeAggregate(embedded, { signer, version: 2, maxFee, deadline: BigInt(deadline) }, network, cosigners);
}
