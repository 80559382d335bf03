import { addressAndTypeKey, Collection, NO_KEY, typeKey } from "../../database/lists/collections.js";
import type { Rows } from "./rows.js";

/** One entry of a counted list. */
export interface CollectionEntry {
  readonly collection: Collection;
  readonly key: Buffer;
  /** Of an entity, or the height of a block. */
  readonly id: bigint;
}

/** The columns that determine the lists of a row. */
export type CountedRows = {
  readonly blocks: readonly Pick<Rows["blocks"][number], "height" | "signer_public_key" | "beneficiary_address">[];
  readonly transactions: readonly Pick<
    Rows["transactions"][number],
    "id" | "embedded" | "signer_public_key" | "recipient_address" | "type"
  >[];
  readonly transaction_addresses: readonly Rows["transaction_addresses"][number][];
  readonly transaction_mosaics: readonly Pick<Rows["transaction_mosaics"][number], "mosaic_id" | "id" | "embedded">[];
  readonly transaction_statements: readonly Pick<Rows["transaction_statements"][number], "id">[];
  readonly receipts: readonly Omit<Rows["receipts"][number], "index" | "amount" | "mosaic_id">[];
  readonly address_resolution_statements: readonly Pick<Rows["address_resolution_statements"][number], "id">[];
  readonly mosaic_resolution_statements: readonly Pick<Rows["mosaic_resolution_statements"][number], "id">[];
};

/**
 * The counted lists of these rows, with their keys: the only definition, for writing and for rolling back. An entry
 * may occur twice, and counts once.
 */
export function* collectionEntries(rows: CountedRows): Generator<CollectionEntry> {
  for (const { height, signer_public_key, beneficiary_address } of rows.blocks) {
    const id = BigInt(height);
    yield { collection: Collection.blocks, key: NO_KEY, id };
    yield { collection: Collection.blocksBySigner, key: signer_public_key, id };
    yield { collection: Collection.blocksByBeneficiary, key: beneficiary_address, id };
  }
  for (const { id, embedded, signer_public_key, recipient_address, type } of rows.transactions) {
    yield { collection: Collection.transactionsAll, key: NO_KEY, id };
    yield { collection: Collection.transactionsBySignerAll, key: signer_public_key, id };
    yield { collection: Collection.transactionsByTypeAll, key: typeKey(type), id };
    if (recipient_address) yield { collection: Collection.transactionsByRecipientAll, key: recipient_address, id };
    if (embedded) continue;
    yield { collection: Collection.transactionsTop, key: NO_KEY, id };
    yield { collection: Collection.transactionsBySignerTop, key: signer_public_key, id };
    yield { collection: Collection.transactionsByTypeTop, key: typeKey(type), id };
    if (recipient_address) yield { collection: Collection.transactionsByRecipientTop, key: recipient_address, id };
  }
  for (const { address, id, embedded, type } of rows.transaction_addresses) {
    yield { collection: Collection.transactionsByAddressAll, key: address, id };
    const both = addressAndTypeKey(address, type);
    yield { collection: Collection.transactionsByAddressAndTypeAll, key: both, id };
    if (embedded) continue;
    yield { collection: Collection.transactionsByAddressTop, key: address, id };
    yield { collection: Collection.transactionsByAddressAndTypeTop, key: both, id };
  }
  for (const { mosaic_id, id, embedded } of rows.transaction_mosaics) {
    yield { collection: Collection.transactionsByMosaicAll, key: mosaic_id, id };
    if (!embedded) yield { collection: Collection.transactionsByMosaicTop, key: mosaic_id, id };
  }
  for (const { id } of rows.transaction_statements) {
    yield { collection: Collection.transactionStatements, key: NO_KEY, id };
  }
  yield* statementsByReceipt(rows.receipts);
  for (const { id } of rows.address_resolution_statements) {
    yield { collection: Collection.addressResolutions, key: NO_KEY, id };
  }
  for (const { id } of rows.mosaic_resolution_statements) {
    yield { collection: Collection.mosaicResolutions, key: NO_KEY, id };
  }
}

/** A statement is in the list of a key however many of its receipts have it: so entries may occur twice. */
function* statementsByReceipt(receipts: CountedRows["receipts"]): Generator<CollectionEntry> {
  for (const receipt of receipts) {
    const { statement_id: id, sender_address, recipient_address, target_address, artifact_id } = receipt;
    yield { collection: Collection.transactionStatementsByType, key: typeKey(receipt.type), id };
    if (sender_address) yield { collection: Collection.transactionStatementsBySender, key: sender_address, id };
    if (recipient_address) {
      yield { collection: Collection.transactionStatementsByRecipient, key: recipient_address, id };
    }
    if (target_address) yield { collection: Collection.transactionStatementsByTarget, key: target_address, id };
    if (artifact_id) yield { collection: Collection.transactionStatementsByArtifact, key: artifact_id, id };
  }
}
