import type { Db } from "../database.js";
import type { PageRequest } from "../lists/list.js";
import type { Entry, Page } from "../lists/page.js";
import {
  type FoundPendingTransaction,
  findPendingTransactionsByHashes,
  findPendingTransactionsByIds,
  type PendingTransactionFilter,
  pendingEmbeddedDocuments,
  searchPendingTransactions,
} from "./pending-transactions.js";

/** A page of partial aggregates, by arrival. */
export function searchPartialTransactions(
  db: Db,
  filter: PendingTransactionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return searchPendingTransactions(db, "partial", filter, request);
}

/** Partial aggregates by id (12 bytes), and their embedded transactions. */
export function findPartialTransactionsByIds(db: Db, ids: readonly Buffer[]): Promise<FoundPendingTransaction[]> {
  return findPendingTransactionsByIds(db, "partial", ids);
}

/** Partial aggregates by hash (32 bytes). */
export function findPartialTransactionsByHashes(db: Db, hashes: readonly Buffer[]): Promise<FoundPendingTransaction[]> {
  return findPendingTransactionsByHashes(db, "partial", hashes);
}

/** The REST bodies of the transactions inside partial aggregates, by the aggregate's id as hex digits, in order. */
export function partialEmbeddedDocuments(db: Db, aggregateIds: readonly Buffer[]): Promise<Map<string, string[]>> {
  return pendingEmbeddedDocuments(db, "partial", aggregateIds);
}
