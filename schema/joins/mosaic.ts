import type { MosaicBody } from "../../catapult/body/mosaic.js";
import { searchByBalance } from "../../database/balances/account-balances.js";
import type { Entry } from "../../database/lists/page.js";
import { metadata, mosaicRestrictions } from "../../database/queries/state-nouns.js";
import { searchTransactions } from "../../database/queries/transactions.js";
import { statementsOfArtifact, TransactionStatementPage } from "../chain/statement.js";
import { TransactionPage } from "../chain/transaction.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { listArguments, readList, searchList } from "../graph/page.js";
import { addressIn, stateDb } from "../graph/state.js";
import { Account } from "../state/account.js";
import { HolderPage } from "../state/holder.js";
import { MetadataPage } from "../state/metadata.js";
import { Mosaic } from "../state/mosaic.js";
import { MosaicRestrictionPage } from "../state/mosaic-restriction.js";
import { joinsOf } from "./joins.js";

const mosaicOf = (entry: Entry) => bodyOf<MosaicBody>(entry).mosaic;
const mosaicIdOf = (entry: Entry) => parseId(mosaicOf(entry).id) ?? 0n;

builder.objectFields(Mosaic, (t) => ({
  owner: t.field({
    description: "Account that created the mosaic.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(mosaicOf(entry).ownerAddress)),
  }),
  names: t.stringList({
    description: "Names of namespaces that point to the mosaic, such as symbol.xym.",
    resolve: async (entry, _args, context) => [...(await joinsOf(context).mosaicNames.load(mosaicIdOf(entry)))],
  }),
  holders: t.field({
    type: HolderPage,
    description: "Holders of the mosaic with their shares, by balance: the largest first, unless the order is asc.",
    args: listArguments,
    resolve: (entry, list, context) =>
      readList(list, async (request) =>
        searchByBalance(await stateDb(context), { mosaicId: mosaicIdOf(entry) }, request),
      ),
  }),
  metadata: t.field({
    description: "Metadata of the mosaic.",
    type: MetadataPage,
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(metadata.search, { ...list, targetId: mosaicIdOf(entry), metadataType: 1 }, () => stateDb(context)),
  }),
  transactions: t.field({
    type: TransactionPage,
    description: "Confirmed transfers with the mosaic's own id: not those by a namespace that points to it.",
    args: {
      embedded: t.arg.boolean({ description: "Whether to include embedded transactions." }),
      ...listArguments,
    },
    resolve: (entry, args, { db }) =>
      searchList(searchTransactions, { ...args, transferMosaicId: mosaicIdOf(entry) }, () => db),
  }),
  receipts: t.field({
    type: TransactionStatementPage,
    description: "Statements about the mosaic's end, with its receipts.",
    args: listArguments,
    resolve: (entry, list, { db }) => statementsOfArtifact(db, mosaicIdOf(entry), list),
  }),
  restrictions: t.field({
    description: "Rules of the mosaic, and the values of accounts that are checked against them.",
    type: MosaicRestrictionPage,
    args: listArguments,
    resolve: (entry, list, context) =>
      searchList(mosaicRestrictions.search, { ...list, mosaicId: mosaicIdOf(entry) }, () => stateDb(context)),
  }),
}));
