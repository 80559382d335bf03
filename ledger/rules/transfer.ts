import { models } from "symbol-sdk/symbol";
import type { RuleBook } from "../state/rule-book.js";
import { bigintOf, bytesOf } from "./wire.js";

/** Transfers (catapult `plugins/txes/transfer`). */
export function addTransferRules(rules: RuleBook): void {
  rules.publish(
    [models.TransferTransactionV1, models.EmbeddedTransferTransactionV1],
    (transfer, { signerAddress }, notify) => {
      const recipient = bytesOf(transfer.recipientAddress);
      const mosaics: readonly models.UnresolvedMosaic[] = transfer.mosaics;
      notify({ kind: "accountAddress", address: recipient });
      notify({
        kind: "addressInteraction",
        source: signerAddress,
        type: transfer.type.value,
        participants: [recipient],
      });
      for (const { mosaicId, amount } of mosaics) {
        notify({
          kind: "balanceTransfer",
          sender: signerAddress,
          recipient,
          mosaicId: bigintOf(mosaicId),
          amount: bigintOf(amount),
          isDynamic: false,
        });
      }
      if (transfer.message.length) notify({ kind: "transferMessage", size: transfer.message.length });
      if (mosaics.length)
        notify({ kind: "transferMosaics", mosaicIds: mosaics.map(({ mosaicId }) => bigintOf(mosaicId)) });
    },
  );

  rules.stateless("transferMessage", ({ size }, { transfer }) =>
    size > transfer.maxMessageSize ? "Failure_Transfer_Message_Too_Large" : undefined,
  );
  rules.stateless("transferMosaics", ({ mosaicIds }) => {
    const isOrdered = mosaicIds.every((id, index) => index === 0 || mosaicIds[index - 1]! < id);
    return isOrdered ? undefined : "Failure_Transfer_Out_Of_Order_Mosaics";
  });
}
