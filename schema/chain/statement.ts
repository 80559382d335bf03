import type { ObjectRef } from "@pothos/core";
import type { AnyOf } from "../../catapult/body/scalars.js";
import type {
  ReceiptBody,
  ResolutionStatementBody,
  SourceBody,
  TransactionStatementBody,
} from "../../catapult/body/statement.js";
import type { Entry } from "../../database/lists/page.js";
import {
  searchAddressResolutions,
  searchMosaicResolutions,
  searchTransactionStatements,
} from "../../database/queries/statements.js";
import { checkHeights, checkTypes, given, heightArguments } from "../graph/arguments.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { bodyOf } from "../graph/document.js";
import { type ListPage, listArguments, pageType, readList, splitArguments } from "../graph/page.js";

/** Which fields there are depends on the receipt's type. */
type AnyReceipt = AnyOf<ReceiptBody>;
type ResolutionEntry = ResolutionStatementBody["statement"]["resolutionEntries"][number];

const statementOf = (entry: Entry) => bodyOf<TransactionStatementBody>(entry).statement;
const resolutionOf = (entry: Entry) => bodyOf<ResolutionStatementBody>(entry).statement;

const SourceType = builder.objectRef<SourceBody>("ReceiptSource").implement({
  description: "Where in a block something came from.",
  fields: (t) => ({
    primaryId: t.exposeInt("primaryId", { description: "0 for the block itself, n for its n-th transaction." }),
    secondaryId: t.exposeInt("secondaryId", { description: "n for the n-th transaction inside an aggregate, else 0." }),
  }),
});

const addressOf = (hex: string | undefined) => (hex === undefined ? null : Buffer.from(hex, "hex"));

export const ReceiptType = builder.objectRef<AnyReceipt>("Receipt").implement({
  description: "A change of state that a transaction does not show by itself. Fields that its type has not are null.",
  fields: (t) => ({
    type: t.exposeInt("type", { description: "Such as 8515 for a harvest fee." }),
    version: t.exposeInt("version", { description: "Of its layout." }),
    mosaicId: t.expose("mosaicId", { description: "Of what it tells.", type: "ArtifactId", nullable: true }),
    amount: t.expose("amount", { type: "UInt64", nullable: true, description: "Atomic units." }),
    senderAddress: t.field({
      description: "Who paid.",
      type: "Address",
      nullable: true,
      resolve: (receipt) => addressOf(receipt.senderAddress),
    }),
    recipientAddress: t.field({
      description: "Who was paid.",
      type: "Address",
      nullable: true,
      resolve: (receipt) => addressOf(receipt.recipientAddress),
    }),
    targetAddress: t.field({
      description: "To whom something came, or from whom it went.",
      type: "Address",
      nullable: true,
      resolve: (receipt) => addressOf(receipt.targetAddress),
    }),
    artifactId: t.expose("artifactId", {
      type: "ArtifactId",
      nullable: true,
      description: "The mosaic or namespace that expired.",
    }),
  }),
});

export const TransactionStatement = builder.objectRef<Entry>("TransactionStatement").implement({
  description: "The receipts of one source in a block.",
  fields: (t) => ({
    id: t.expose("id", { description: "Its height, and its place among the block's.", type: "EntityId" }),
    height: t.field({
      description: "Of the block.",
      type: "SafeInt",
      resolve: (entry) => Number(statementOf(entry).height),
    }),
    timestamp: t.field({
      type: "SafeInt",
      description: "Of the block: milliseconds since the network's epoch adjustment.",
      resolve: (entry) => Number(bodyOf<TransactionStatementBody>(entry).meta.timestamp),
    }),
    source: t.field({
      description: "What caused the receipts.",
      type: SourceType,
      resolve: (entry) => statementOf(entry).source,
    }),
    receipts: t.field({
      description: "In their order.",
      type: [ReceiptType],
      resolve: (entry) => statementOf(entry).receipts,
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", { description: "The REST body as JSON text." }),
  }),
});

export const ResolutionEntryType = builder.objectRef<ResolutionEntry>("ResolutionEntry").implement({
  description: "What an alias stood for, from one place in the block on.",
  fields: (t) => ({
    source: t.field({ description: "The place.", type: SourceType, resolve: (entry) => entry.source }),
    resolved: t.expose("resolved", { description: "Address or id of the mosaic.", type: "Hex" }),
  }),
});

function resolutionStatement(name: string, of: string) {
  return builder.objectRef<Entry>(name).implement({
    description: `What an alias of ${of} stood for in a block.`,
    fields: (t) => ({
      id: t.expose("id", { description: "Its height, and its place among the block's.", type: "EntityId" }),
      height: t.field({
        description: "Of the block.",
        type: "SafeInt",
        resolve: (entry) => Number(resolutionOf(entry).height),
      }),
      timestamp: t.field({
        type: "SafeInt",
        description: "Of the block: milliseconds since the network's epoch adjustment.",
        resolve: (entry) => Number(bodyOf<ResolutionStatementBody>(entry).meta.timestamp),
      }),
      unresolved: t.field({
        type: "Hex",
        description: "As written in transactions.",
        resolve: (entry) => resolutionOf(entry).unresolved,
      }),
      resolutionEntries: t.field({
        description: "In the order of their places.",
        type: [ResolutionEntryType],
        resolve: (entry) => resolutionOf(entry).resolutionEntries,
      }),
      body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
      document: t.exposeString("document", { description: "The REST body as JSON text." }),
    }),
  });
}

export const AddressResolution = resolutionStatement("AddressResolutionStatement", "an address");
export const MosaicResolution = resolutionStatement("MosaicResolutionStatement", "a mosaic");

export const TransactionStatementPage = pageType("TransactionStatementPage", TransactionStatement);

builder.queryField("transactionStatements", (t) =>
  t.field({
    type: TransactionStatementPage,
    description: "Transaction statements with a receipt for which everything given holds, by their place in the chain.",
    args: {
      receiptType: t.arg.intList({ description: "One of these types." }),
      senderAddress: t.arg({ description: "Who paid.", type: "Address" }),
      recipientAddress: t.arg({ description: "Who was paid.", type: "Address" }),
      targetAddress: t.arg({ description: "To whom something came, or from whom it went.", type: "Address" }),
      artifactId: t.arg({ type: "ArtifactId", description: "The mosaic or namespace that expired." }),
      ...heightArguments,
      ...listArguments,
    },
    resolve: (_root, args, { db }) => {
      const { list, filter } = splitArguments(args);
      const { receiptType: receiptTypes, ...rest } = given(filter);
      checkTypes("receiptType", receiptTypes);
      checkHeights(rest);
      return readList(list, (request) => searchTransactionStatements(db, { ...rest, receiptTypes }, request));
    },
  }),
);

export const AddressResolutionPage = pageType("AddressResolutionStatementPage", AddressResolution);
export const MosaicResolutionPage = pageType("MosaicResolutionStatementPage", MosaicResolution);

resolutionQuery("addressResolutions", AddressResolutionPage, searchAddressResolutions);
resolutionQuery("mosaicResolutions", MosaicResolutionPage, searchMosaicResolutions);

function resolutionQuery(
  name: string,
  type: ObjectRef<SchemaTypes, ListPage<Entry>>,
  search: typeof searchAddressResolutions,
): void {
  builder.queryField(name, (t) =>
    t.field({
      type,
      description: "Resolution statements by their place in the chain.",
      args: { ...heightArguments, ...listArguments },
      resolve: (_root, args, { db }) => {
        const { list, filter } = splitArguments(args);
        const heights = given(filter);
        checkHeights(heights);
        return readList(list, (request) => search(db, heights, request));
      },
    }),
  );
}
