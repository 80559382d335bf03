import type { ObjectRef } from "@pothos/core";
import { decodeNamespaceId } from "../../catapult/entity/address.js";
import { decodeEntityId, encodeEntityId } from "../../catapult/json/entity-id.js";
import { idText } from "../../catapult/json/format.js";
import { RECEIPTS, type ReceiptBody } from "../../catapult/structs/receipt.js";
import type {
  ResolutionStatementBody,
  SourceBody,
  TransactionStatementBody,
} from "../../catapult/structs/statement.js";
import { receiptTypeName } from "../../catapult/structs/type-names.js";
import type { AnyOf } from "../../catapult/values/scalars.js";
import { describedFields } from "../../catapult/values/struct.js";
import type { Db } from "../../database/database.js";
import type { Entry } from "../../database/lists/page.js";
import {
  searchAddressResolutions,
  searchMosaicResolutions,
  searchTransactionStatements,
} from "../../database/queries/statements.js";
import {
  checkHeights,
  checkTypes,
  given,
  heightArguments,
  isLimitedToTimes,
  timeArguments,
} from "../graph/arguments.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder, type SchemaTypes } from "../graph/builder.js";
import { accountField, blockField, mosaicField, namespaceField, transactionField } from "../graph/loaders.js";
import { type Builder, declaredFields, makeMembers, members } from "../graph/members.js";
import { type ListArguments, type ListPage, listArguments, pageType, searchList } from "../graph/page.js";
import { addressIn } from "../graph/state.js";
import { limitedToTimes, timeField } from "../network/time.js";

/** Which fields there are depends on the receipt's type. */
type AnyReceipt = AnyOf<ReceiptBody>;
type ResolutionEntry = ResolutionStatementBody["statement"]["resolutionEntries"][number];

const metaOf = (entry: Entry) => bodyOf<TransactionStatementBody | ResolutionStatementBody>(entry).meta;
const statementOf = (entry: Entry) => bodyOf<TransactionStatementBody>(entry).statement;
const resolutionOf = (entry: Entry) => bodyOf<ResolutionStatementBody>(entry).statement;

const timesOf = (t: Builder<Entry>) => ({
  ...makeMembers(t, metaOf, {
    timestamp: ["SafeInt", "Timestamp of the block, in milliseconds since the network's epoch adjustment."],
  }),
  time: timeField(t, "Time of the block.", (entry) => Number(metaOf(entry).timestamp)),
});

const SourceType = builder.objectRef<SourceBody>("ReceiptSource").implement({
  description: "The source of a statement in a block.",
  fields: (t) =>
    members(t, {
      primaryId: ["Int", "Primary id: 0 for the block itself, n for its n-th transaction."],
      secondaryId: ["Int", "Secondary id: n for the n-th embedded transaction, otherwise 0."],
    }),
});

const ReceiptType = builder.objectRef<AnyReceipt>("Receipt").implement({
  description:
    "A state change that is not visible in a transaction itself. Fields that its type does not have are null.",
  fields: (t) => ({
    ...declaredFields(t, (receipt) => receipt, Object.values(RECEIPTS).map(describedFields)),
    typeName: t.string({
      description: "Name of the receipt type, such as harvest_fee; its number if it is unknown.",
      resolve: ({ type }) => receiptTypeName(type),
    }),
    mosaic: mosaicField(t, "Mosaic of the receipt.", ({ mosaicId }) => mosaicId),
    sender: accountField(t, "Sender of the receipt.", ({ senderAddress }) => senderAddress),
    recipient: accountField(t, "Recipient of the receipt.", ({ recipientAddress }) => recipientAddress),
    target: accountField(t, "Account whose balance was changed.", ({ targetAddress }) => targetAddress),
  }),
});

export const TransactionStatement = builder.objectRef<Entry>("TransactionStatement").implement({
  description: "The receipts of one source in a block.",
  fields: (t) => ({
    ...entryFields(t, "Id of the statement: the block's height, and its position in the block."),
    ...makeMembers(t, statementOf, {
      height: ["SafeInt", "Height of the block."],
      source: [SourceType, "Source of the receipts."],
      receipts: [[ReceiptType], "Receipts, in order."],
    }),
    ...timesOf(t),
    block: blockField(t, "Block of the statement.", ({ id }) => decodeEntityId(id).height),
    transaction: transactionField(t, "Transaction that caused the receipts; null for the block itself.", (entry) => {
      const { primaryId, secondaryId } = statementOf(entry).source;
      const { height } = decodeEntityId(entry.id);
      return primaryId === 0 ? undefined : encodeEntityId(height, primaryId - 1, secondaryId);
    }),
  }),
});

const ADDRESS_DIGITS = 48;

const ResolutionEntryType = builder.objectRef<ResolutionEntry>("ResolutionEntry").implement({
  description: "The target of an alias, from a position in the block on.",
  fields: (t) => ({
    ...members(t, {
      source: [SourceType, "Position from which the resolution applies."],
      resolved: ["Hex", "Resolved address or mosaic id."],
    }),
    account: accountField(t, "For an address alias: the resolved account.", ({ resolved }) =>
      resolved.length === ADDRESS_DIGITS ? resolved : undefined,
    ),
    mosaic: mosaicField(t, "For a mosaic alias: the resolved mosaic.", ({ resolved }) =>
      resolved.length === ADDRESS_DIGITS ? undefined : resolved,
    ),
  }),
});

/** @param namespaceIn the id of the namespace in an alias */
function resolutionStatement(name: string, of: string, namespaceIn: (unresolved: string) => bigint | string) {
  return builder.objectRef<Entry>(name).implement({
    description: `The resolutions of an alias of ${of} in a block.`,
    fields: (t) => ({
      ...entryFields(t, "Id of the statement: the block's height, and its position in the block."),
      ...makeMembers(t, resolutionOf, {
        height: ["SafeInt", "Height of the block."],
        unresolved: ["Hex", "The alias as in transactions."],
        resolutionEntries: [[ResolutionEntryType], "Resolutions in the order of their positions."],
      }),
      ...timesOf(t),
      block: blockField(t, "The block of the statement.", ({ id }) => decodeEntityId(id).height),
      namespace: namespaceField(t, "Current state of the namespace of the alias.", (entry) =>
        namespaceIn(resolutionOf(entry).unresolved),
      ),
    }),
  });
}

const AddressResolution = resolutionStatement("AddressResolutionStatement", "an address", (unresolved) =>
  decodeNamespaceId(addressIn(unresolved)),
);
const MosaicResolution = resolutionStatement("MosaicResolutionStatement", "a mosaic", (unresolved) => unresolved);

export const TransactionStatementPage = pageType("TransactionStatementPage", TransactionStatement);

/** A page of statements with some of their receipts: in one statement are receipts of many accounts and artifacts. */
export function withReceipts(page: ListPage<Entry>, keeps: (receipt: AnyReceipt) => boolean): ListPage<Entry> {
  const { hasNextPage, hasPreviousPage } = page;
  const data = page.data.map(({ id, body }) => {
    const whole = JSON.parse(body) as TransactionStatementBody;
    const receipts = (whole.statement.receipts as readonly AnyReceipt[]).filter(keeps);
    const view = { ...whole, statement: { ...whole.statement, receipts } };
    return { id, view, body: JSON.stringify(view) };
  });
  return { data, readPagination: () => page.readPagination(), hasNextPage, hasPreviousPage };
}

/** A page of statements with the receipts of an artifact. */
export async function statementsOfArtifact(db: Db, artifactId: bigint, list: ListArguments): Promise<ListPage<Entry>> {
  const page = await searchList(searchTransactionStatements, { ...list, artifactId }, () => db);
  const id = idText(artifactId);
  return withReceipts(page, (receipt) => receipt.artifactId === id);
}

builder.queryField("transactionStatements", (t) =>
  t.field({
    type: TransactionStatementPage,
    description:
      "Transaction statements with a receipt that matches all given conditions, by their position in the chain.",
    args: {
      receiptType: t.arg.intList({ description: "Receipt types to include." }),
      senderAddress: t.arg({ description: "Sender of a balance transfer.", type: "Address" }),
      recipientAddress: t.arg({ description: "Recipient of a balance transfer.", type: "Address" }),
      targetAddress: t.arg({ description: "Address of the account whose balance was changed.", type: "Address" }),
      artifactId: t.arg({ type: "ArtifactId", description: "Id of the mosaic or namespace that expired." }),
      ...heightArguments,
      ...timeArguments,
      ...listArguments,
    },
    resolve: async (_root, { receiptType: receiptTypes, fromTime, toTime, ...args }, context) => {
      checkTypes("receiptType", receiptTypes);
      const filter = given(args);
      checkHeights(filter);
      const times = { fromTime, toTime };
      const limited = isLimitedToTimes(times) ? await limitedToTimes(context, filter, times) : filter;
      return searchList(searchTransactionStatements, { ...limited, receiptTypes }, () => context.db);
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
