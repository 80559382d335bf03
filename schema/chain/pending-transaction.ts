import { isAliasAddress } from "../../catapult/entity/address.js";
import type { PendingGroup } from "../../catapult/structs/transaction.js";
import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import type { Db } from "../../database/database.js";
import type { PageRequest } from "../../database/lists/list.js";
import { describePage, type Page } from "../../database/lists/page.js";
import {
  findPendingTransactionsByHashes,
  findPendingTransactionsByIds,
  searchPendingTransactions,
} from "../../database/mempool/pending-transactions.js";
import type { TransactionFilter } from "../../database/queries/transactions.js";
import { given } from "../graph/arguments.js";
import { transactionOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { accountField, loadersOf } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { addressIn } from "../graph/state.js";
import { addTransactionFields } from "./transaction-fields.js";
import {
  checkIdentifiers,
  identifierArguments,
  toTransactionFilter,
  transactionArguments,
} from "./transaction-filter.js";
import { withTypes } from "./transaction-type.js";

export const PendingGroupType = builder.enumType("PendingGroup", {
  description: "What a transaction is pending for.",
  values: {
    unconfirmed: { value: "unconfirmed", description: "Pending for a block." },
    partial: { value: "partial", description: "Cosignatures." },
  } as const,
});

export const PendingTransaction = builder.objectRef<TransactionEntry>("PendingTransaction");

PendingTransaction.implement({
  description: "A pending transaction, or one embedded in it.",
  fields: (t) => ({
    ...members(t, { id: ["EntityId", "Id of the entry; ids grow by arrival, and differ from those in the chain."] }),
    group: t.field({
      type: PendingGroupType,
      description: "Group of the transaction: unconfirmed or partial.",
      resolve: ({ group }) => group!,
    }),
    recipient: accountField(t, "Recipient; null for an alias, which is not resolved yet.", (entry) => {
      const { recipientAddress } = transactionOf(entry);
      const isAlias = recipientAddress !== undefined && isAliasAddress(addressIn(recipientAddress));
      return isAlias ? undefined : recipientAddress;
    }),
  }),
});

addTransactionFields(PendingTransaction, {
  isConfirmed: false,
  embeddedIn: async (entry, context) =>
    entry.embedded ?? (await loadersOf(context).wholePending.load(entry.id))?.embedded ?? [],
});

export const PendingTransactionPage = pageType("PendingTransactionPage", PendingTransaction);

/** Pending transactions have height 0, as in the reference: bounds of heights apply to that. */
function isAboveHeightZero({ height, fromHeight }: TransactionFilter): boolean {
  return Math.max(height ?? 0, fromHeight ?? 0) > 0;
}

/** A page of pending transactions. */
export async function searchPending(
  db: Db,
  group: PendingGroup,
  filter: TransactionFilter,
  request: PageRequest,
): Promise<Page<TransactionEntry>> {
  if (isAboveHeightZero(filter)) return { data: [], pagination: describePage(request, 0) };
  return searchPendingTransactions(db, group, filter, request);
}

async function find(
  db: Db,
  group: PendingGroup,
  ids: readonly Buffer[],
  hashes: readonly Buffer[],
): Promise<TransactionEntry[]> {
  checkIdentifiers(ids, hashes);
  const found = await Promise.all([
    findPendingTransactionsByIds(db, group, ids),
    findPendingTransactionsByHashes(db, group, hashes),
  ]);
  const unique = new Map(found.flat().map((entry) => [entry.id.toString("hex"), entry]));
  return [...unique.values()].sort((a, b) => a.id.compare(b.id));
}

const groupArgument = builder.args((t) => ({
  group: t.field({ description: "Group of pending transactions.", type: PendingGroupType, required: true }),
}));

builder.queryFields((t) => ({
  pendingTransactions: t.field({
    type: PendingTransactionPage,
    description: "Pending transactions of a group that match all given conditions, by arrival. Their height is 0.",
    args: { ...groupArgument, ...transactionArguments, ...listArguments },
    resolve: (_root, { group, ...args }, { db }) => {
      const { list, filter } = splitArguments(args);
      const transactions = toTransactionFilter(given(withTypes(filter)));
      return readList(list, (request) => searchPending(db, group, transactions, request));
    },
  }),
  pendingTransactionsByIds: t.field({
    type: [PendingTransaction],
    description: "Pending transactions of a group by id or hash, by arrival; missing ones are omitted.",
    args: { ...groupArgument, ...identifierArguments },
    resolve: (_root, { group, ids, hashes }, { db }) => find(db, group, ids ?? [], hashes ?? []),
  }),
}));
