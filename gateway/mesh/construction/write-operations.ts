import { encodeAddress } from "../../../catapult/entity/address.js";
import { hex } from "../../../catapult/entity/hex.js";
import type { NetworkFacts } from "../standard/network.js";
import type { Amount, Operation } from "../standard/schemas.js";
import { type Currencies, currencyOf } from "./currency.js";
import type { Intent, Transfer } from "./intent.js";
import { messageMetadata } from "./message.js";

type Content = Pick<Operation, "type" | "account" | "amount" | "metadata"> & { readonly follows?: boolean };

/**
 * The operations of a transaction in the form in which requests have them.
 * @param currencies of all mosaics, without the network's own
 */
export function writeOperations(intent: Intent, network: NetworkFacts, currencies: Currencies): Operation[] {
  const known = new Map([...currencies, [String(network.currency.metadata?.id), network.currency]]);
  return contentsOf(intent, network, known).map(({ follows, ...content }, index) => ({
    operation_identifier: { index },
    ...(follows && { related_operations: [{ index: index - 1 }] }),
    ...content,
  }));
}

function contentsOf(intent: Intent, network: NetworkFacts, currencies: Currencies): Content[] {
  if (intent.kind === "cosignature") {
    const metadata = { aggregate_hash: hex(intent.aggregateHash) };
    return [{ type: "cosign", account: accountOf(intent.cosigner), metadata }];
  }
  if (intent.kind === "hashLock") {
    const { signer, mosaic, duration, aggregateHash } = intent;
    return [
      {
        type: "hash_lock",
        account: accountOf(signer),
        amount: amountOf(-mosaic.amount, mosaic.mosaicId, currencies),
        metadata: { aggregate_hash: hex(aggregateHash), duration: Number(duration) },
      },
    ];
  }
  return [
    ...intent.transfers.flatMap((transfer) => transferContents(transfer, network, currencies)),
    ...intent.cosigners.map((cosigner) => ({ type: "cosign", account: accountOf(cosigner) })),
  ];
}

function transferContents(transfer: Transfer, network: NetworkFacts, currencies: Currencies): Content[] {
  const { sender, recipient, mosaics, message } = transfer;
  const nothing = { mosaicId: BigInt(`0x${network.currency.metadata?.id}`), amount: 0n };
  return (mosaics.length > 0 ? mosaics : [nothing]).flatMap(({ mosaicId, amount }, index) => [
    {
      type: "transfer",
      account: accountOf(sender),
      amount: amountOf(-amount, mosaicId, currencies),
      ...(index === 0 && message.length > 0 && { metadata: { ...messageMetadata(message) } }),
    },
    { type: "transfer", account: accountOf(recipient), amount: amountOf(amount, mosaicId, currencies), follows: true },
  ]);
}

function accountOf(address: Buffer) {
  return { address: encodeAddress(address) };
}

function amountOf(value: bigint, mosaicId: bigint, currencies: Currencies): Amount {
  return { value: String(value), currency: currencyOf(mosaicId, currencies) };
}
