import { MOSAIC_BODY } from "../../catapult/state/mosaic.js";
import { searchByBalance } from "../../database/balances/account-balances.js";
import type { Entry } from "../../database/lists/page.js";
import { metadata, mosaicRestrictions, mosaics } from "../../database/queries/state-lists.js";
import { searchTransactions } from "../../database/queries/transactions.js";
import { statementsOfArtifact, TransactionStatementPage } from "../chain/statement.js";
import { entryFields, mosaicOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { accountField, loadersOf } from "../graph/loaders.js";
import { declaredFields } from "../graph/members.js";
import { listArguments, readList, searchList } from "../graph/page.js";
import { ownEntries, stateDb, stateQueries } from "../graph/state.js";
import { MetadataPage, Mosaic, MosaicPage, MosaicRestrictionPage, TransactionPage } from "../graph/types.js";
import { HolderPage } from "./holder.js";

const readMosaicId = (entry: Entry) => parseId(mosaicOf(entry).id) ?? 0n;

Mosaic.implement({
  description: "The state of a mosaic. Mosaics that have ended remain.",
  fields: (t) => ({
    ...declaredFields(t, mosaicOf, [MOSAIC_BODY.described], { id: "mosaicId" }),
    ...entryFields(t, "Id of the entry in the list."),
    owner: accountField(t, "Account that created the mosaic.", (entry) => mosaicOf(entry).ownerAddress),
    names: t.stringList({
      description: "Names of namespaces that point to the mosaic, such as symbol.xym.",
      resolve: async (entry, _args, context) => [...(await loadersOf(context).mosaicNames.load(readMosaicId(entry)))],
    }),
    holders: t.field({
      type: HolderPage,
      description: "Holders of the mosaic with their shares, by balance: the largest first, unless the order is asc.",
      args: listArguments,
      resolve: (entry, list, context) =>
        readList(list, async (request) =>
          searchByBalance(await stateDb(context), { mosaicId: readMosaicId(entry) }, request),
        ),
    }),
    metadata: ownEntries(t, MetadataPage, "Metadata of the mosaic.", metadata, (entry) => ({
      targetId: readMosaicId(entry),
      metadataType: 1,
    })),
    transactions: t.field({
      type: TransactionPage,
      description: "Confirmed transfers with the mosaic's own id: not those by a namespace that points to it.",
      args: {
        embedded: t.arg.boolean({ description: "Whether to include embedded transactions." }),
        ...listArguments,
      },
      resolve: (entry, args, { db }) =>
        searchList(searchTransactions, { ...args, transferMosaicId: readMosaicId(entry) }, () => db),
    }),
    receipts: t.field({
      type: TransactionStatementPage,
      description: "Statements about the mosaic's end, with its receipts.",
      args: listArguments,
      resolve: (entry, list, { db }) => statementsOfArtifact(db, readMosaicId(entry), list),
    }),
    restrictions: ownEntries(
      t,
      MosaicRestrictionPage,
      "Rules of the mosaic, and the values of accounts that are checked against them.",
      mosaicRestrictions,
      (entry) => ({ mosaicId: readMosaicId(entry) }),
    ),
  }),
});

stateQueries(mosaics, Mosaic, MosaicPage);

builder.queryField("mosaic", (t) =>
  t.field({
    type: Mosaic,
    nullable: true,
    description: "A mosaic by its own id, not by that of a namespace that points to it.",
    args: { id: t.arg({ description: "Own id of the mosaic.", type: "ArtifactId", required: true }) },
    resolve: async (_root, { id }, context) => (await mosaics.find(await stateDb(context), [id]))[0] ?? null,
  }),
);
