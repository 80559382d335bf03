import { Account, AccountPage } from "../account.js";
import { given } from "../arguments.js";
import { builder } from "../builder.js";
import { searchAccounts } from "../db/accounts.js";
import { searchMetadata } from "../db/metadata.js";
import { searchMosaicRestrictions } from "../db/mosaic-restrictions.js";
import type { Entry } from "../db/page.js";
import { searchTransactionStatements } from "../db/statements.js";
import { searchTransactions } from "../db/transactions.js";
import { bodyOf } from "../document.js";
import { parseId } from "../formats.js";
import { MetadataPage } from "../metadata.js";
import { Mosaic } from "../mosaic.js";
import { MosaicRestrictionPage } from "../mosaic-restriction.js";
import { listArguments, readList, splitArguments } from "../page.js";
import { addressIn, stateDb } from "../state.js";
import { TransactionStatementPage } from "../statement.js";
import { TransactionPage } from "../transaction.js";
import { joinsOf } from "./joins.js";

const mosaicOf = (entry: Entry) => bodyOf<{ mosaic: { id: string; ownerAddress: string } }>(entry).mosaic;
const mosaicIdOf = (entry: Entry) => parseId(mosaicOf(entry).id) ?? 0n;

builder.objectFields(Mosaic, (t) => ({
  owner: t.field({
    description: "Who defined it.",
    type: Account,
    nullable: true,
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(mosaicOf(entry).ownerAddress)),
  }),
  names: t.stringList({
    description: "Namespaces that stand for it, such as symbol.xym.",
    resolve: async (entry, _args, context) => [...(await joinsOf(context).mosaicNames.load(mosaicIdOf(entry)))],
  }),
  holders: t.field({
    type: AccountPage,
    description: "Who has some of it, by how much: the one with the most first, unless the order is asc.",
    args: listArguments,
    resolve: (entry, list, context) =>
      readList(list, async (request) =>
        searchAccounts(await stateDb(context), { mosaicId: mosaicIdOf(entry) }, request, "balance"),
      ),
  }),
  metadata: t.field({
    description: "What was attached to it.",
    type: MetadataPage,
    args: listArguments,
    resolve: (entry, list, context) => {
      const filter = { targetId: mosaicIdOf(entry), metadataType: 1 };
      return readList(list, async (request) => searchMetadata(await stateDb(context), filter, request));
    },
  }),
  transactions: t.field({
    type: TransactionPage,
    description: "Confirmed transfers of it, as written: not those by a namespace that stands for it.",
    args: {
      embedded: t.arg.boolean({ description: "With those embedded in aggregates." }),
      ...listArguments,
    },
    resolve: (entry, args, { db }) => {
      const { list, filter } = splitArguments(args);
      const ofMosaic = { transferMosaicId: mosaicIdOf(entry), ...given(filter) };
      return readList(list, (request) => searchTransactions(db, ofMosaic, request));
    },
  }),
  receipts: t.field({
    type: TransactionStatementPage,
    description: "Statements that tell of its end.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      readList(list, (request) => searchTransactionStatements(db, { artifactId: mosaicIdOf(entry) }, request)),
  }),
  restrictions: t.field({
    description: "Its rules, and the values of accounts that they are held against.",
    type: MosaicRestrictionPage,
    args: listArguments,
    resolve: (entry, list, context) =>
      readList(list, async (request) =>
        searchMosaicRestrictions(await stateDb(context), { mosaicId: mosaicIdOf(entry) }, request),
      ),
  }),
}));
