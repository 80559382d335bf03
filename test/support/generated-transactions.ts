import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { TRANSACTION_TYPE } from "../../catapult/structs/type-names.js";
import { type Keys, makeAggregate, makeEmbedded, makeTransaction } from "./made-transaction.js";

/** A transfer as in a block or in an aggregate. */
export interface TransferFields {
  readonly signer: Keys;
  /** 24 bytes. */
  readonly recipient: Buffer;
  readonly mosaics: readonly { readonly id: bigint; readonly amount: bigint }[];
  readonly message: Buffer;
}

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

function transferOf(fields: TransferFields) {
  return { signer: fields.signer, type: TRANSACTION_TYPE.transfer, version: 1, body: transferBody(fields) };
}

/** A transfer as in an aggregate, without padding. */
export function embeddedTransfer(fields: TransferFields, network: NetworkIdentity): Buffer {
  return makeEmbedded(transferOf(fields), network);
}

/** A signed transfer; the deadline is in ms since the network's epoch. */
export function generateTransfer(
  fields: TransferFields & { readonly maxFee: bigint; readonly deadline: number },
  network: NetworkIdentity,
): Buffer {
  const { maxFee, deadline } = fields;
  return makeTransaction({ ...transferOf(fields), maxFee, deadline: BigInt(deadline) }, network);
}

/** A complete aggregate of transfers by its signer and its cosigners. */
export function generateAggregate(
  fields: {
    readonly signer: Keys;
    readonly cosigners: readonly Keys[];
    readonly transfers: readonly TransferFields[];
    readonly maxFee: bigint;
    readonly deadline: number;
  },
  network: NetworkIdentity,
): Buffer {
  const { signer, cosigners, transfers, maxFee, deadline } = fields;
  const embedded = transfers.map((transfer) => embeddedTransfer(transfer, network));
  return makeAggregate(embedded, { signer, version: 2, maxFee, deadline: BigInt(deadline) }, network, cosigners);
}
