import { TRANSFER_RESERVED } from "../../catapult/structs/transaction-types.js";
import type { Publishers, RuleBook } from "./rule-book.js";
import { bytesOf } from "./wire.js";

const MOSAIC_SIZE = 16;

const PUBLISHERS = {
  transfer: (transfer, { signerAddress: sender }, notify) => {
    const recipient = bytesOf(transfer.recipientAddress);
    const { mosaics } = transfer;
    notify({ kind: "internalPadding", isZero: isReservedZero(transfer.bytes, transfer.messageSize, mosaics.length) });
    notify({ kind: "accountAddress", address: recipient });
    notify({ kind: "addressInteraction", source: sender, type: transfer.type, participants: [recipient] });
    for (const { mosaicId, amount } of mosaics) {
      notify({ kind: "balanceTransfer", sender, recipient, mosaicId, amount, isDynamic: false });
    }
    if (transfer.messageSize) notify({ kind: "transferMessage", size: transfer.messageSize });
    if (mosaics.length) notify({ kind: "transferMosaics", mosaicIds: mosaics.map(({ mosaicId }) => mosaicId) });
  },
} satisfies Partial<Publishers>;

/** Transfers (catapult `plugins/txes/transfer`). */
export function addTransferRules(rules: RuleBook) {
  rules.stateless("transferMessage", ({ size }, { transfer }) =>
    size > transfer.maxMessageSize ? "Failure_Transfer_Message_Too_Large" : undefined,
  );
  rules.stateless("transferMosaics", ({ mosaicIds }) => {
    const isOrdered = mosaicIds.every((id, index) => index === 0 || mosaicIds[index - 1]! < id);
    return isOrdered ? undefined : "Failure_Transfer_Out_Of_Order_Mosaics";
  });
  return PUBLISHERS;
}

/** Whether the reserved bytes before mosaics and message are what the node takes for zeros. */
function isReservedZero(bytes: Buffer, messageSize: number, mosaicsCount: number): boolean {
  const end = bytes.length - messageSize - MOSAIC_SIZE * mosaicsCount;
  const reserved = bytes.subarray(end - TRANSFER_RESERVED.size, end);
  return reserved.every((byte, index) => byte === 0 || index === TRANSFER_RESERVED.lostByte);
}
