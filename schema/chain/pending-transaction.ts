import { isAliasAddress } from "../../catapult/entity/address.js";
import { withEmbedded } from "../../catapult/json/transaction.js";
import type { Db } from "../../database/database.js";
import type { PageRequest } from "../../database/lists/list.js";
import { describePage, type Entry, type Page } from "../../database/lists/page.js";
import {
  findPendingTransactionsByHashes,
  findPendingTransactionsByIds,
  searchPendingTransactions,
} from "../../database/mempool/pending-transactions.js";
import type { TransactionFilter } from "../../database/queries/transactions.js";
import type { PendingGroup } from "../../database/tables/pending.js";
import { given } from "../graph/arguments.js";
import { transactionOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import type { Context } from "../graph/context.js";
import { accountField, loadersOf } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { addressIn } from "../graph/state.js";
import { deadlineField } from "../network/time.js";
import { MosaicAmountType } from "./transaction.js";
import { TransactionContent } from "./transaction-content.js";
import { addTransactionFields } from "./transaction-fields.js";
import {
  checkIdentifiers,
  identifierArguments,
  toTransactionFilter,
  transactionArguments,
} from "./transaction-filter.js";

/** A pending transaction. */
interface PendingEntry extends Entry {
  readonly group: PendingGroup;
}

export const PendingGroupType = builder.enumType("PendingGroup", {
  description: "What a transaction is pending for.",
  values: {
    unconfirmed: { value: "unconfirmed", description: "Pending for a block." },
    partial: { value: "partial", description: "Cosignatures." },
  } as const,
});

export const PendingTransaction = builder.objectRef<PendingEntry>("PendingTransaction");

PendingTransaction.implement({
  description: "A pending transaction, or one embedded in it.",
  fields: (t) => ({
    ...members(t, {
      id: ["EntityId", "Id of the entry; ids grow by arrival, and differ from those in the chain."],
      group: [PendingGroupType, "Group of the transaction: unconfirmed or partial."],
    }),
    deadlineTime: deadlineField(t, (entry) => transactionOf(entry).deadline),
    mosaics: t.field({
      type: [MosaicAmountType],
      nullable: true,
      description: "Mosaics of a transfer; null for other types.",
      resolve: (entry) => transactionOf(entry).mosaics?.map((mosaic) => ({ ...mosaic, transactionId: undefined })),
    }),
    content: t.field({
      type: TransactionContent,
      description: "Fields that are specific to the transaction type.",
      resolve: (entry) => ({ entry, isConfirmed: false }),
    }),
    embedded: t.field({
      type: [PendingTransaction],
      description: "Embedded transactions of an aggregate, in order.",
      resolve: async (entry, _args, context) => inGroup(entry.group, await embeddedIn(entry, context)),
    }),
    documentWithEmbedded: t.string({
      description: "The REST body in look-ups as JSON text, with embedded transactions.",
      resolve: (entry, _args, context) => bodyWithEmbedded(entry, context),
    }),
    recipient: accountField(t, "Recipient; null for an alias, which is not resolved yet.", (entry) => {
      const { recipientAddress } = transactionOf(entry);
      const isAlias = recipientAddress !== undefined && isAliasAddress(addressIn(recipientAddress));
      return isAlias ? undefined : recipientAddress;
    }),
  }),
});

addTransactionFields(PendingTransaction);

export const PendingTransactionPage = pageType("PendingTransactionPage", PendingTransaction);

builder.objectField(PendingTransactionPage, "documentsWithEmbedded", (t) =>
  t.stringList({
    description: "The REST bodies of all entries as JSON text, with embedded transactions.",
    resolve: ({ data }, _args, context) => Promise.all(data.map((entry) => bodyWithEmbedded(entry, context))),
  }),
);

function embeddedIn({ id, group }: PendingEntry, context: Context): Promise<readonly Entry[]> {
  return loadersOf(context).pendingEmbedded[group].load(id);
}

async function bodyWithEmbedded(entry: PendingEntry, context: Context): Promise<string> {
  const inside = await embeddedIn(entry, context);
  if (inside.length === 0) return entry.body;
  return withEmbedded(
    entry.body,
    inside.map(({ body }) => body),
  );
}

function inGroup(group: PendingGroup, entries: readonly Entry[]): PendingEntry[] {
  return entries.map(({ id, body }) => ({ id, body, group }));
}

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
): Promise<Page<PendingEntry>> {
  if (isAboveHeightZero(filter)) return { data: [], pagination: describePage(request, 0) };
  const { data, pagination } = await searchPendingTransactions(db, group, filter, request);
  return { data: inGroup(group, data), pagination };
}

async function find(
  db: Db,
  group: PendingGroup,
  ids: readonly Buffer[],
  hashes: readonly Buffer[],
): Promise<PendingEntry[]> {
  checkIdentifiers(ids, hashes);
  const found = await Promise.all([
    findPendingTransactionsByIds(db, group, ids),
    findPendingTransactionsByHashes(db, group, hashes),
  ]);
  const unique = new Map(found.flat().map((entry) => [entry.id.toString("hex"), entry]));
  return inGroup(
    group,
    [...unique.values()].sort((a, b) => a.id.compare(b.id)),
  );
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
      const { type: types, ...rest } = given(filter);
      const transactions = toTransactionFilter({ ...rest, types });
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
