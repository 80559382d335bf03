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
import { bodyOf } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { type ListPage, listArguments, pageType, searchList } from "../graph/page.js";

/** Which fields there are depends on the receipt's type. */
type AnyReceipt = AnyOf<ReceiptBody>;
type ResolutionEntry = ResolutionStatementBody["statement"]["resolutionEntries"][number];

const statementOf = (entry: Entry) => bodyOf<TransactionStatementBody>(entry).statement;
const resolutionOf = (entry: Entry) => bodyOf<ResolutionStatementBody>(entry).statement;

const SourceType = builder.objectRef<SourceBody>("ReceiptSource").implement({
  description: "The source of a statement in a block.",
  fields: (t) => ({
    primaryId: t.exposeInt("primaryId", {
      description: "Primary id: 0 for the block itself, n for its n-th transaction.",
    }),
    secondaryId: t.exposeInt("secondaryId", {
      description: "Secondary id: n for the n-th embedded transaction, otherwise 0.",
    }),
  }),
});

const addressOf = (hex: string | undefined) => (hex === undefined ? null : Buffer.from(hex, "hex"));

export const ReceiptType = builder.objectRef<AnyReceipt>("Receipt").implement({
  description:
    "A state change that is not visible in a transaction itself. Fields that its type does not have are null.",
  fields: (t) => ({
    type: t.exposeInt("type", { description: "Receipt type, such as 8515 for a harvest fee." }),
    version: t.exposeInt("version", { description: "Version of the receipt's layout." }),
    mosaicId: t.expose("mosaicId", { description: "Id of the mosaic.", type: "ArtifactId", nullable: true }),
    amount: t.expose("amount", { type: "UInt64", nullable: true, description: "Amount in atomic units." }),
    senderAddress: t.field({
      description: "Address of the sender.",
      type: "Address",
      nullable: true,
      resolve: (receipt) => addressOf(receipt.senderAddress),
    }),
    recipientAddress: t.field({
      description: "Address of the recipient.",
      type: "Address",
      nullable: true,
      resolve: (receipt) => addressOf(receipt.recipientAddress),
    }),
    targetAddress: t.field({
      description: "Address of the account whose balance was changed.",
      type: "Address",
      nullable: true,
      resolve: (receipt) => addressOf(receipt.targetAddress),
    }),
    artifactId: t.expose("artifactId", {
      type: "ArtifactId",
      nullable: true,
      description: "Id of the mosaic or namespace that expired.",
    }),
  }),
});

export const TransactionStatement = builder.objectRef<Entry>("TransactionStatement").implement({
  description: "The receipts of one source in a block.",
  fields: (t) => ({
    id: t.expose("id", {
      description: "Id of the statement: the block's height, and its position in the block.",
      type: "EntityId",
    }),
    height: t.field({
      description: "Height of the block.",
      type: "SafeInt",
      resolve: (entry) => Number(statementOf(entry).height),
    }),
    timestamp: t.field({
      type: "SafeInt",
      description: "Timestamp of the block, in milliseconds since the network's epoch adjustment.",
      resolve: (entry) => Number(bodyOf<TransactionStatementBody>(entry).meta.timestamp),
    }),
    source: t.field({
      description: "Source of the receipts.",
      type: SourceType,
      resolve: (entry) => statementOf(entry).source,
    }),
    receipts: t.field({
      description: "Receipts, in order.",
      type: [ReceiptType],
      resolve: (entry) => statementOf(entry).receipts,
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("body", { description: "The REST body as JSON text." }),
  }),
});

export const ResolutionEntryType = builder.objectRef<ResolutionEntry>("ResolutionEntry").implement({
  description: "The target of an alias, from a position in the block on.",
  fields: (t) => ({
    source: t.field({
      description: "Position from which the resolution applies.",
      type: SourceType,
      resolve: (entry) => entry.source,
    }),
    resolved: t.expose("resolved", { description: "Resolved address or mosaic id.", type: "Hex" }),
  }),
});

function resolutionStatement(name: string, of: string) {
  return builder.objectRef<Entry>(name).implement({
    description: `The resolutions of an alias of ${of} in a block.`,
    fields: (t) => ({
      id: t.expose("id", {
        description: "Id of the statement: the block's height, and its position in the block.",
        type: "EntityId",
      }),
      height: t.field({
        description: "Height of the block.",
        type: "SafeInt",
        resolve: (entry) => Number(resolutionOf(entry).height),
      }),
      timestamp: t.field({
        type: "SafeInt",
        description: "Timestamp of the block, in milliseconds since the network's epoch adjustment.",
        resolve: (entry) => Number(bodyOf<ResolutionStatementBody>(entry).meta.timestamp),
      }),
      unresolved: t.field({
        type: "Hex",
        description: "The alias as in transactions.",
        resolve: (entry) => resolutionOf(entry).unresolved,
      }),
      resolutionEntries: t.field({
        description: "Resolutions in the order of their positions.",
        type: [ResolutionEntryType],
        resolve: (entry) => resolutionOf(entry).resolutionEntries,
      }),
      body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
      document: t.exposeString("body", { description: "The REST body as JSON text." }),
    }),
  });
}

export const AddressResolution = resolutionStatement("AddressResolutionStatement", "an address");
export const MosaicResolution = resolutionStatement("MosaicResolutionStatement", "a mosaic");

export const TransactionStatementPage = pageType("TransactionStatementPage", TransactionStatement);

builder.queryField("transactionStatements", (t) =>
  t.field({
    type: TransactionStatementPage,
    description:
      "Transaction statements with a receipt that matches all given conditions, by their position in the chain.",
    args: {
      receiptType: t.arg.intList({ description: "Receipt types to include." }),
      senderAddress: t.arg({ description: "Address of the sender.", type: "Address" }),
      recipientAddress: t.arg({ description: "Address of the recipient.", type: "Address" }),
      targetAddress: t.arg({ description: "Address of the account whose balance was changed.", type: "Address" }),
      artifactId: t.arg({ type: "ArtifactId", description: "Id of the mosaic or namespace that expired." }),
      ...heightArguments,
      ...listArguments,
    },
    resolve: (_root, { receiptType: receiptTypes, ...args }, { db }) => {
      checkTypes("receiptType", receiptTypes);
      checkHeights(given(args));
      return searchList(searchTransactionStatements, { ...args, receiptTypes }, () => db);
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
      description: "Resolution statements by their position in the chain.",
      args: { ...heightArguments, ...listArguments },
      resolve: (_root, args, { db }) => {
        checkHeights(given(args));
        return searchList(search, args, () => db);
      },
    }),
  );
}
