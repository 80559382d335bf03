import { Account } from "../account.js";
import { Block } from "../block.js";
import { builder } from "../builder.js";
import { FinalizedBlock } from "../chain.js";
import type { Entry } from "../db/page.js";
import { searchAddressResolutions, searchMosaicResolutions, searchTransactionStatements } from "../db/statements.js";
import { bodyOf } from "../document.js";
import { listArguments, readList } from "../page.js";
import { addressIn } from "../state.js";
import { AddressResolutionPage, MosaicResolutionPage, TransactionStatementPage } from "../statement.js";
import { joinsOf } from "./joins.js";

interface BlockBody {
  readonly block: { readonly height: string; readonly signerPublicKey: string; readonly beneficiaryAddress: string };
}

const blockOf = (entry: Entry) => bodyOf<BlockBody>(entry).block;
const heightOf = (entry: Entry) => Number(blockOf(entry).height);

builder.objectFields(Block, (t) => ({
  previous: t.field({
    type: Block,
    nullable: true,
    description: "Null for the first block.",
    resolve: (entry, _args, context) => joinsOf(context).block.load(heightOf(entry) - 1),
  }),
  next: t.field({
    type: Block,
    nullable: true,
    description: "Null for the newest block.",
    resolve: (entry, _args, context) => joinsOf(context).block.load(heightOf(entry) + 1),
  }),
  isFinalized: t.boolean({
    description: "Whether it can no longer be rolled back.",
    resolve: async (entry, _args, context) => heightOf(entry) <= (await joinsOf(context).indexPoint()).finalizedHeight,
  }),
  harvester: t.field({
    type: Account,
    nullable: true,
    description: "The account of the key that signed it: where harvesting is delegated a remote one.",
    resolve: (entry, _args, context) => joinsOf(context).accountOfKey(blockOf(entry).signerPublicKey),
  }),
  beneficiary: t.field({
    type: Account,
    nullable: true,
    description: "Who gets the beneficiary's share of the fees.",
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(blockOf(entry).beneficiaryAddress)),
  }),
  statements: t.field({
    type: TransactionStatementPage,
    description: "Its receipts, by what caused them.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      readList(list, (request) => searchTransactionStatements(db, { height: heightOf(entry) }, request)),
  }),
  addressResolutions: t.field({
    type: AddressResolutionPage,
    description: "What aliases of addresses stood for in it.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      readList(list, (request) => searchAddressResolutions(db, { height: heightOf(entry) }, request)),
  }),
  mosaicResolutions: t.field({
    type: MosaicResolutionPage,
    description: "What aliases of mosaics stood for in it.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      readList(list, (request) => searchMosaicResolutions(db, { height: heightOf(entry) }, request)),
  }),
}));

builder.objectField(FinalizedBlock, "block", (t) =>
  t.field({
    type: Block,
    nullable: true,
    resolve: ({ height }, _args, context) => joinsOf(context).block.load(height),
  }),
);
