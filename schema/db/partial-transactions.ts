import type { Db, Numeric } from "./database.js";
import type { Entry, Page, PageRequest } from "./page.js";
import {
  type FoundPendingTransaction,
  findPendingTransactionsByHashes,
  findPendingTransactionsByIds,
  type PendingTransactionFilter,
  pendingEmbeddedDocuments,
  searchPendingTransactions,
} from "./pending-transactions.js";

/** The cosignatures that a partial transaction has by now; its document has them too. */
export interface PartialCosignatureTable {
  /** Of the aggregate. */
  hash: Buffer;
  /** From 0, in the order in which they came. */
  position: number;
  version: Numeric;
  signer_public_key: Buffer;
  signature: Buffer;
}

/** A page of bonded aggregates that wait for cosignatures, by arrival. */
export function searchPartialTransactions(
  db: Db,
  filter: PendingTransactionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return searchPendingTransactions(db, "partial", filter, request);
}

/** Bonded aggregates that wait for cosignatures, by id (12 bytes), and their embedded transactions. */
export function findPartialTransactionsByIds(db: Db, ids: readonly Buffer[]): Promise<FoundPendingTransaction[]> {
  return findPendingTransactionsByIds(db, "partial", ids);
}

/** Bonded aggregates that wait for cosignatures, by hash (32 bytes). */
export function findPartialTransactionsByHashes(db: Db, hashes: readonly Buffer[]): Promise<FoundPendingTransaction[]> {
  return findPendingTransactionsByHashes(db, "partial", hashes);
}

/** The REST bodies of the transactions inside partial aggregates, by the aggregate's id as hex digits, in order. */
export function partialEmbeddedDocuments(db: Db, aggregateIds: readonly Buffer[]): Promise<Map<string, string[]>> {
  return pendingEmbeddedDocuments(db, "partial", aggregateIds);
}
