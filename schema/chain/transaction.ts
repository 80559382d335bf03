import type { AnyOf } from "../../catapult/body/scalars.js";
import type { AnyTransactionBody } from "../../catapult/body/transaction.js";
import { isAggregateType } from "../../catapult/entity/entity-layout.js";
import { withEmbedded } from "../../catapult/json/transaction.js";
import type { Entry } from "../../database/lists/page.js";
import {
  findTransactionsByHashes,
  findTransactionsByIds,
  searchTransactions,
} from "../../database/queries/transactions.js";
import { given } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { embeddedOf } from "../graph/context.js";
import { costs } from "../graph/cost.js";
import { bodyOf } from "../graph/document.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import type { Loader } from "../services/loader.js";
import { TransactionContent } from "./transaction-content.js";
import {
  checkIdentifiers,
  identifierArguments,
  toTransactionFilter,
  transactionArguments,
} from "./transaction-filter.js";

type Meta = AnyOf<AnyTransactionBody["meta"]>;
type Fields = AnyOf<AnyTransactionBody["transaction"]>;
type MosaicAmount = NonNullable<Fields["mosaics"]>[number];

/** With the transaction that carries it (12 bytes), for what an alias stood for there; without one that is in no block. */
export interface CarriedAmount extends MosaicAmount {
  readonly transactionId: Buffer | undefined;
}

const metaOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).meta as Meta;
const transactionOf = (entry: Entry) => bodyOf<AnyTransactionBody>(entry).transaction as Fields;

export const MosaicAmountType = builder.objectRef<CarriedAmount>("MosaicAmount").implement({
  description: "So much of a mosaic.",
  fields: (t) => ({
    id: t.expose("id", {
      type: "ArtifactId",
      description: "As written in the transaction: of a mosaic, or of a namespace that stands for it.",
    }),
    amount: t.expose("amount", { type: "UInt64", description: "Atomic units." }),
  }),
});

/** An entry whose type may be known without its body. */
interface TransactionEntry extends Entry {
  readonly type?: number;
}

async function documentWithEmbedded(
  { id, document, type }: TransactionEntry,
  embedded: Loader<Buffer, readonly Entry[]>,
): Promise<string> {
  if (type !== undefined && !isAggregateType(type)) return document;
  const inside = await embedded.load(id);
  return inside.length === 0
    ? document
    : withEmbedded(
        document,
        inside.map((entry) => entry.document),
      );
}

export const Transaction = builder.objectRef<TransactionEntry>("Transaction");

Transaction.implement({
  description: "A confirmed transaction: one that stands in a block itself, or one embedded in an aggregate.",
  fields: (t) => ({
    id: t.expose("id", { description: "Height, index in the block, index in the aggregate.", type: "EntityId" }),
    height: t.field({
      description: "Of its block.",
      type: "SafeInt",
      resolve: (entry) => Number(metaOf(entry).height),
    }),
    index: t.int({
      description: "Position in its block or aggregate, from 0.",
      resolve: (entry) => metaOf(entry).index,
    }),
    timestamp: t.field({
      type: "SafeInt",
      description: "Of its block: milliseconds since the network's epoch adjustment.",
      resolve: (entry) => Number(metaOf(entry).timestamp),
    }),
    hash: t.field({
      type: "Hash256",
      nullable: true,
      description: "Null for an embedded transaction.",
      resolve: (entry) => metaOf(entry).hash,
    }),
    merkleComponentHash: t.field({
      type: "Hash256",
      nullable: true,
      description: "Leaf of the block's transactions tree; null for an embedded transaction.",
      resolve: (entry) => metaOf(entry).merkleComponentHash,
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
    network: t.int({ description: "104 main, 152 test.", resolve: (entry) => transactionOf(entry).network }),
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
    mosaics: t.field({
      type: [MosaicAmountType],
      nullable: true,
      description: "What a transfer carries; null for other types.",
      resolve: (entry) => transactionOf(entry).mosaics?.map((mosaic) => ({ ...mosaic, transactionId: entry.id })),
    }),
    maxFee: t.field({
      type: "UInt64",
      nullable: true,
      description: "Atomic units of the currency mosaic; null for an embedded transaction.",
      resolve: (entry) => transactionOf(entry).maxFee,
    }),
    feeMultiplier: t.field({
      type: "SafeInt",
      description: "Of its block: the fee paid is this times the size.",
      resolve: (entry) => metaOf(entry).feeMultiplier ?? 0,
    }),
    deadline: t.field({
      type: "SafeInt",
      nullable: true,
      description: "Milliseconds since the network's epoch adjustment; null for an embedded transaction.",
      resolve: (entry) => {
        const { deadline } = transactionOf(entry);
        return deadline === undefined ? null : Number(deadline);
      },
    }),
    signature: t.field({
      type: "Signature",
      nullable: true,
      description: "By the signer; null for an embedded transaction.",
      resolve: (entry) => transactionOf(entry).signature,
    }),
    content: t.field({
      type: TransactionContent,
      description: "What only its type has.",
      resolve: (entry) => ({ entry, isConfirmed: true }),
    }),
    size: t.int({ nullable: true, description: "Bytes.", resolve: (entry) => transactionOf(entry).size }),
    embedded: t.field({
      type: [Transaction],
      extensions: costs({ entries: 10 }),
      description: "The transactions inside an aggregate, in their order.",
      resolve: ({ id }, _args, context) => embeddedOf(context).load(id),
    }),
    body: t.field({ type: "JSON", description: "The REST body of a search.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", {
      description: "The REST body of a search as JSON text: an aggregate's own transactions are not in it.",
    }),
    documentWithEmbedded: t.string({
      description: "The REST body of a look-up as JSON text: an aggregate's own transactions are in it.",
      resolve: (entry, _args, context) => documentWithEmbedded(entry, embeddedOf(context)),
    }),
  }),
});

export const TransactionPage = pageType("TransactionPage", Transaction);

builder.objectField(TransactionPage, "documentsWithEmbedded", (t) =>
  t.stringList({
    description: "The REST bodies of all entries as JSON text, aggregates with their own transactions in them.",
    resolve: ({ data }, _args, context) =>
      Promise.all(data.map((entry) => documentWithEmbedded(entry, embeddedOf(context)))),
  }),
);

builder.queryFields((t) => ({
  transactions: t.field({
    type: TransactionPage,
    description: "Confirmed transactions for which everything given holds, by their place in the chain.",
    args: {
      ...transactionArguments,
      ...listArguments,
    },
    resolve: (_root, args, { db }) => {
      const { list, filter } = splitArguments(args);
      const { type: types, ...rest } = given(filter);
      const transactions = toTransactionFilter({ ...rest, types });
      return readList(list, (request) => searchTransactions(db, transactions, request));
    },
  }),
  transactionsByIds: t.field({
    type: [Transaction],
    description: "Confirmed transactions by id or hash, in the order of the chain; what does not exist is left out.",
    args: identifierArguments,
    resolve: async (_root, args, { db }) => {
      const { ids, hashes } = { ids: args.ids ?? [], hashes: args.hashes ?? [] };
      checkIdentifiers(ids, hashes);
      const found = await Promise.all([findTransactionsByIds(db, ids), findTransactionsByHashes(db, hashes)]);
      const unique = new Map(found.flat().map((entry) => [entry.id.toString("hex"), entry]));
      return [...unique.values()].sort((a, b) => a.id.compare(b.id));
    },
  }),
}));
