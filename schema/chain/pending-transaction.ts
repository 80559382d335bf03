import type { AnyOf } from "../../catapult/body/scalars.js";
import type { AnyTransactionBody } from "../../catapult/body/transaction.js";
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
import { builder } from "../graph/builder.js";
import { type Context, pendingEmbeddedOf } from "../graph/context.js";
import { bodyOf } from "../graph/document.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { MosaicAmountType } from "./transaction.js";
import { TransactionContent } from "./transaction-content.js";
import {
  checkIdentifiers,
  identifierArguments,
  toTransactionFilter,
  transactionArguments,
} from "./transaction-filter.js";

/** A transaction that is in no block yet. */
interface PendingEntry extends Entry {
  readonly group: PendingGroup;
}

const metaOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).meta as AnyOf<AnyTransactionBody["meta"]>;
const transactionOf = (entry: Entry) =>
  bodyOf<AnyTransactionBody>(entry).transaction as AnyOf<AnyTransactionBody["transaction"]>;

export const PendingGroupType = builder.enumType("PendingGroup", {
  description: "What a transaction waits for.",
  values: {
    unconfirmed: { value: "unconfirmed", description: "A block." },
    partial: { value: "partial", description: "Cosignatures." },
  } as const,
});

export const PendingTransaction = builder.objectRef<PendingEntry>("PendingTransaction");

PendingTransaction.implement({
  description: "A transaction that is in no block yet, or one embedded in such a one.",
  fields: (t) => ({
    id: t.expose("id", { type: "EntityId", description: "Ids grow by arrival, and are others than in the chain." }),
    group: t.expose("group", { description: "What it waits for.", type: PendingGroupType }),
    hash: t.field({
      type: "Hash256",
      nullable: true,
      description: "Null for an embedded transaction.",
      resolve: (entry) => metaOf(entry).hash,
    }),
    aggregateId: t.field({
      description: "Of an embedded transaction: that of its aggregate.",
      type: "EntityId",
      nullable: true,
      resolve: (entry) => metaOf(entry).aggregateId,
    }),
    aggregateHash: t.field({
      description: "Of an embedded transaction: that of its aggregate.",
      type: "Hash256",
      nullable: true,
      resolve: (entry) => metaOf(entry).aggregateHash,
    }),
    type: t.int({ description: "Such as 16724 for a transfer.", resolve: (entry) => transactionOf(entry).type }),
    version: t.int({ description: "Of its type's layout.", resolve: (entry) => transactionOf(entry).version }),
    signerPublicKey: t.field({
      description: "Who signed it; of an embedded transaction on whose behalf it is.",
      type: "PublicKey",
      resolve: (entry) => transactionOf(entry).signerPublicKey,
    }),
    recipientAddress: t.field({
      type: "Address",
      nullable: true,
      description: "As written in the transaction: an alias stays one. Null where the type has none.",
      resolve: (entry) => {
        const { recipientAddress } = transactionOf(entry);
        return recipientAddress === undefined ? null : Buffer.from(recipientAddress, "hex");
      },
    }),
    maxFee: t.field({
      type: "UInt64",
      nullable: true,
      description: "Atomic units of the currency mosaic; null for an embedded transaction.",
      resolve: (entry) => transactionOf(entry).maxFee,
    }),
    deadline: t.field({
      type: "UInt64",
      nullable: true,
      description: "Milliseconds since the network's epoch adjustment; null for an embedded transaction.",
      resolve: (entry) => transactionOf(entry).deadline,
    }),
    network: t.int({ description: "104 main, 152 test.", resolve: (entry) => transactionOf(entry).network }),
    signature: t.field({
      type: "Signature",
      nullable: true,
      description: "By the signer; null for an embedded transaction.",
      resolve: (entry) => transactionOf(entry).signature,
    }),
    mosaics: t.field({
      type: [MosaicAmountType],
      nullable: true,
      description: "What a transfer carries; null for other types.",
      resolve: (entry) => transactionOf(entry).mosaics?.map((mosaic) => ({ ...mosaic, transactionId: undefined })),
    }),
    content: t.field({
      type: TransactionContent,
      description: "What only its type has.",
      resolve: (entry) => ({ entry, isConfirmed: false }),
    }),
    size: t.int({ nullable: true, description: "Bytes.", resolve: (entry) => transactionOf(entry).size }),
    embedded: t.field({
      type: [PendingTransaction],
      description: "The transactions inside an aggregate, in their order.",
      resolve: async (entry, _args, context) => inGroup(entry.group, await embeddedIn(entry, context)),
    }),
    body: t.field({ type: "JSON", description: "The REST body of a search.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", {
      description: "The REST body of a search as JSON text: an aggregate's own transactions are not in it.",
    }),
    documentWithEmbedded: t.string({
      description: "The REST body of a look-up as JSON text: an aggregate's own transactions are in it.",
      resolve: (entry, _args, context) => documentWithEmbedded(entry, context),
    }),
  }),
});

export const PendingTransactionPage = pageType("PendingTransactionPage", PendingTransaction);

builder.objectField(PendingTransactionPage, "documentsWithEmbedded", (t) =>
  t.stringList({
    description: "The REST bodies of all entries as JSON text, aggregates with their own transactions in them.",
    resolve: ({ data }, _args, context) => Promise.all(data.map((entry) => documentWithEmbedded(entry, context))),
  }),
);

function embeddedIn({ id, group }: PendingEntry, context: Context): Promise<readonly Entry[]> {
  return pendingEmbeddedOf[group](context).load(id);
}

async function documentWithEmbedded(entry: PendingEntry, context: Context): Promise<string> {
  const inside = await embeddedIn(entry, context);
  if (inside.length === 0) return entry.document;
  return withEmbedded(
    entry.document,
    inside.map(({ document }) => document),
  );
}

function inGroup(group: PendingGroup, entries: readonly Entry[]): PendingEntry[] {
  return entries.map(({ id, document }) => ({ id, document, group }));
}

/** What is in no block has height 0, as the reference has it: bounds of heights are met or not met by that. */
function isAboveHeightZero({ height, fromHeight }: TransactionFilter): boolean {
  return Math.max(height ?? 0, fromHeight ?? 0) > 0;
}

/** A page of transactions that wait. */
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
  group: t.field({ description: "What they wait for.", type: PendingGroupType, required: true }),
}));

builder.queryFields((t) => ({
  pendingTransactions: t.field({
    type: PendingTransactionPage,
    description: "Transactions of a group for which everything given holds, by arrival. Their height is 0.",
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
    description: "Transactions of a group by id or hash, by arrival; what does not exist is left out.",
    args: { ...groupArgument, ...identifierArguments },
    resolve: (_root, { group, ids, hashes }, { db }) => find(db, group, ids ?? [], hashes ?? []),
  }),
}));
