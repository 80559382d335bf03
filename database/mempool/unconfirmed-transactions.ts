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

/** A page of unconfirmed transactions, by arrival. */
export function searchUnconfirmedTransactions(
  db: Db,
  filter: PendingTransactionFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  return searchPendingTransactions(db, "unconfirmed", filter, request);
}

/** Unconfirmed transactions by id (12 bytes), including embedded ones. */
export function findUnconfirmedTransactionsByIds(db: Db, ids: readonly Buffer[]): Promise<FoundPendingTransaction[]> {
  return findPendingTransactionsByIds(db, "unconfirmed", ids);
}

/** Unconfirmed top-level transactions by hash (32 bytes). */
export function findUnconfirmedTransactionsByHashes(
  db: Db,
  hashes: readonly Buffer[],
): Promise<FoundPendingTransaction[]> {
  return findPendingTransactionsByHashes(db, "unconfirmed", hashes);
}

/** The REST bodies of the transactions inside unconfirmed aggregates, by the aggregate's id as hex digits, in order. */
export function unconfirmedEmbeddedDocuments(db: Db, aggregateIds: readonly Buffer[]): Promise<Map<string, string[]>> {
  return pendingEmbeddedDocuments(db, "unconfirmed", aggregateIds);
}
