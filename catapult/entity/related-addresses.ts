import { models } from "symbol-sdk/symbol";
import { addressOfPublicKey } from "./address.js";
import type { RentalFeeSinks } from "./model.js";
import { isUnknown } from "./unknown-transaction.js";

type AnyTransaction = models.Transaction | models.EmbeddedTransaction;

const { TransactionType } = models;

/**
 * Which addresses a type of transaction concerns besides its signer.
 * Source: the account notifications that catapult's transaction plugins raise (`model/TransactionUtils`, `plugins/txes`).
 * Types that are not here concern their signer only: aliases, restrictions, locks of hashes, proofs of secrets, supply
 * changes, and metadata of mosaics and namespaces; removed cosignatories are not concerned either.
 */
const OTHERS_BY_TYPE = new Map<number, (transaction: never, network: number, sinks?: RentalFeeSinks) => Uint8Array[]>([
  [TransactionType.TRANSFER.value, (tx: models.TransferTransactionV1) => [tx.recipientAddress.bytes]],
  [TransactionType.SECRET_LOCK.value, (tx: models.SecretLockTransactionV1) => [tx.recipientAddress.bytes]],
  [TransactionType.ACCOUNT_METADATA.value, (tx: models.AccountMetadataTransactionV1) => [tx.targetAddress.bytes]],
  [
    TransactionType.MOSAIC_SUPPLY_REVOCATION.value,
    (tx: models.MosaicSupplyRevocationTransactionV1) => [tx.sourceAddress.bytes],
  ],
  [
    TransactionType.MULTISIG_ACCOUNT_MODIFICATION.value,
    (tx: models.MultisigAccountModificationTransactionV1) => tx.addressAdditions.map((address) => address.bytes),
  ],
  [
    TransactionType.ACCOUNT_KEY_LINK.value,
    (tx: models.AccountKeyLinkTransactionV1, network) =>
      tx.linkAction === models.LinkAction.LINK
        ? [addressOfPublicKey(Buffer.from(tx.linkedPublicKey.bytes), network)]
        : [],
  ],
  [TransactionType.MOSAIC_DEFINITION.value, (_tx: never, _network, sinks) => (sinks ? [sinks.mosaic] : [])],
  [TransactionType.NAMESPACE_REGISTRATION.value, (_tx: never, _network, sinks) => (sinks ? [sinks.namespace] : [])],
]);

/** Addresses without repeats, ascending as bytes. */
export function uniqueAddresses(addresses: readonly Uint8Array[]): Buffer[] {
  const byText = new Map<string, Buffer>();
  for (const bytes of addresses) {
    const address = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    byText.set(address.toString("latin1"), address);
  }
  const unique = [...byText.values()];
  return unique.length < 2 ? unique : unique.sort(Buffer.compare);
}

/**
 * The addresses (24 bytes, unresolved as written) that one transaction concerns, ascending, without repeats; of an aggregate
 * those of its embedded transactions too. Cosignatories of an aggregate are not among them unless an embedded transaction
 * names them, as in the reference. `sinks` are a network's setting: without them rental fee sinks are left out.
 */
export function relatedAddresses(transaction: AnyTransaction, network: number, sinks?: RentalFeeSinks): Buffer[] {
  const addresses = concernedBy(transaction, network, sinks);
  const embedded = (transaction as Partial<models.AggregateCompleteTransactionV2>).transactions ?? [];
  for (const inner of embedded) addresses.push(...concernedBy(inner, network, sinks));
  return uniqueAddresses(addresses);
}

function concernedBy(transaction: AnyTransaction, network: number, sinks?: RentalFeeSinks): Uint8Array[] {
  const signer = addressOfPublicKey(Buffer.from(transaction.signerPublicKey.bytes), network);
  if (isUnknown(transaction)) return [signer];
  const others = OTHERS_BY_TYPE.get(transaction.type.value)?.(transaction as never, network, sinks) ?? [];
  return [signer, ...others];
}
