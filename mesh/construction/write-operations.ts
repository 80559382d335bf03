import { hex } from "../../catapult/entity/hex.js";
import { idText } from "../../catapult/json/format.js";
import { buildAccount, buildAmount } from "../standard/amounts.js";
import { messageMetadata } from "../standard/message.js";
import type { NetworkFacts } from "../standard/network.js";
import type { OperationType } from "../standard/operation-types.js";
import type { Amount, Operation } from "../standard/schemas.js";
import { type Decimals, findDecimals, ownMosaicId } from "./currency.js";
import type { Intent, Transfer } from "./intent.js";

type Content = Pick<Operation, "account" | "amount" | "metadata"> & {
  readonly type: OperationType;
  /** Whether it is related to the operation before it. */
  readonly follows?: boolean;
};
type AmountOf = (value: bigint, mosaicId: bigint) => Amount;

/** The operations of a transaction in the form in which requests have them. */
export function writeOperations(intent: Intent, network: NetworkFacts, decimals: Decimals): Operation[] {
  const amount: AmountOf = (value, mosaicId) => {
    const id = idText(mosaicId);
    return buildAmount(String(value), id, findDecimals(id, decimals, network), network);
  };
  return makeContents(intent, amount, ownMosaicId(network)).map(({ follows, ...content }, index) => ({
    operation_identifier: { index },
    ...(follows && { related_operations: [{ index: index - 1 }] }),
    ...content,
  }));
}

function makeContents(intent: Intent, amount: AmountOf, currency: bigint): Content[] {
  if (intent.kind === "cosignature") {
    const metadata = { aggregate_hash: hex(intent.aggregateHash) };
    return [{ type: "cosign", account: buildAccount(intent.cosigner), metadata }];
  }
  if (intent.kind === "hashLock") {
    const { signer, mosaic, duration, aggregateHash } = intent;
    return [
      {
        type: "hash_lock_created",
        account: buildAccount(signer),
        amount: amount(-mosaic.amount, mosaic.mosaicId),
        metadata: { aggregate_hash: hex(aggregateHash), duration: Number(duration) },
      },
    ];
  }
  return [
    ...intent.transfers.flatMap((transfer) => transferContents(transfer, amount, currency)),
    ...intent.cosigners.map((cosigner): Content => ({ type: "cosign", account: buildAccount(cosigner) })),
  ];
}

function transferContents(transfer: Transfer, amountOf: AmountOf, currency: bigint): Content[] {
  const { sender, recipient, mosaics, message } = transfer;
  const sums = mosaics.length > 0 ? mosaics : [{ mosaicId: currency, amount: 0n }];
  return sums.flatMap(({ mosaicId, amount }, index): Content[] => [
    {
      type: "transfer",
      account: buildAccount(sender),
      amount: amountOf(-amount, mosaicId),
      ...(index === 0 && message.length > 0 && { metadata: { ...messageMetadata(message) } }),
    },
    { type: "transfer", account: buildAccount(recipient), amount: amountOf(amount, mosaicId), follows: true },
  ]);
}
