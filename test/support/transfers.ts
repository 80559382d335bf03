import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { type Descriptor, TransactionMaker } from "./transaction-maker.js";

/** A transfer of atomic units of the currency to an account (24 bytes). */
export function transferOf(devnet: Devnet, to: Buffer, amount: bigint, message?: string): Descriptor {
  return {
    type: "transfer_transaction_v1",
    recipientAddress: new Uint8Array(to),
    mosaics: [{ mosaicId: devnet.currencyMosaicId, amount }],
    ...(message !== undefined && { message: new Uint8Array(Buffer.from(`\0${message}`)) }),
  };
}

/** A signed transfer as bytes. */
export function transferPayload(
  devnet: Devnet,
  from: DevnetAccount,
  to: Buffer,
  amount: bigint,
  message?: string,
): Buffer {
  return new TransactionMaker(devnet).transaction(from, transferOf(devnet, to, amount, message));
}

/** A signed aggregate of two transfers, from `from` to `to` and back, cosigned by `to`. */
export function aggregatePayload(devnet: Devnet, from: DevnetAccount, to: DevnetAccount, amount: bigint): Buffer {
  const make = new TransactionMaker(devnet);
  const embedded = [
    make.embedded(from, transferOf(devnet, to.address, amount, "there")),
    make.embedded(to, transferOf(devnet, from.address, amount, "back")),
  ];
  return make.aggregate({ signer: from, embedded, cosigners: [to] });
}
