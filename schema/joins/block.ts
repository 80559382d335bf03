import type { MessageBody } from "../../catapult/body/message.js";
import { namespaceIdOf } from "../../catapult/entity/address.js";
import { decodeEntityId } from "../../catapult/json/entity-id.js";
import type { BlockBody } from "../../catapult/nouns/block.js";
import type { ResolutionStatementBody } from "../../catapult/nouns/statement.js";
import type { AnyOf } from "../../catapult/values/scalars.js";
import type { Entry } from "../../database/lists/page.js";
import {
  searchAddressResolutions,
  searchMosaicResolutions,
  searchTransactionStatements,
} from "../../database/queries/statements.js";
import { Block, heightOf } from "../chain/block.js";
import { Chain, FinalizedBlock } from "../chain/chain.js";
import { FinalizationProof } from "../chain/finalization.js";
import {
  AddressResolution,
  AddressResolutionPage,
  MosaicResolution,
  MosaicResolutionPage,
  ResolutionEntryType,
  TransactionStatementPage,
} from "../chain/statement.js";
import { Transaction } from "../chain/transaction.js";
import { Event } from "../events/subscription.js";
import { checkTypes } from "../graph/arguments.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { parseId } from "../graph/formats.js";
import { listArguments, searchList } from "../graph/page.js";
import { addressIn } from "../graph/state.js";
import { InflationStepType } from "../network/currency.js";
import { Account } from "../state/account.js";
import { Mosaic } from "../state/mosaic.js";
import { Namespace } from "../state/namespace.js";
import { joinsOf } from "./joins.js";

const blockOf = (entry: Entry) => bodyOf<BlockBody>(entry).block;

builder.objectFields(InflationStepType, (t) => ({
  block: t.field({
    type: Block,
    nullable: true,
    description: "First block of the step; null while there is none.",
    resolve: ({ height }, _args, context) => joinsOf(context).block.load(height),
  }),
}));

builder.objectFields(Block, (t) => ({
  previous: t.field({
    type: Block,
    nullable: true,
    description: "Previous block; null for the first block.",
    resolve: (entry, _args, context) => joinsOf(context).block.load(heightOf(entry) - 1),
  }),
  next: t.field({
    type: Block,
    nullable: true,
    description: "Next block; null for the newest block.",
    resolve: (entry, _args, context) => joinsOf(context).block.load(heightOf(entry) + 1),
  }),
  isFinalized: t.boolean({
    description: "Whether the block can no longer be rolled back.",
    resolve: async (entry, _args, context) => heightOf(entry) <= (await joinsOf(context).indexPoint()).finalizedHeight,
  }),
  harvester: t.field({
    type: Account,
    nullable: true,
    description: "Account of the key that signed the block; with delegated harvesting a remote one.",
    resolve: (entry, _args, context) => joinsOf(context).accountOfKey(blockOf(entry).signerPublicKey),
  }),
  beneficiary: t.field({
    type: Account,
    nullable: true,
    description: "Beneficiary of the block's fees.",
    resolve: (entry, _args, context) => joinsOf(context).account.load(addressIn(blockOf(entry).beneficiaryAddress)),
  }),
  statements: t.field({
    type: TransactionStatementPage,
    description: "Receipts of the block, by source.",
    args: { receiptType: t.arg.intList({ description: "Receipt types to include." }), ...listArguments },
    resolve: (entry, { receiptType: receiptTypes, ...args }, { db }) => {
      checkTypes("receiptType", receiptTypes);
      return searchList(searchTransactionStatements, { ...args, height: heightOf(entry), receiptTypes }, () => db);
    },
  }),
  addressResolutions: t.field({
    type: AddressResolutionPage,
    description: "Resolutions of address aliases in the block.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      searchList(searchAddressResolutions, { ...list, height: heightOf(entry) }, () => db),
  }),
  mosaicResolutions: t.field({
    type: MosaicResolutionPage,
    description: "Resolutions of mosaic aliases in the block.",
    args: listArguments,
    resolve: (entry, list, { db }) =>
      searchList(searchMosaicResolutions, { ...list, height: heightOf(entry) }, () => db),
  }),
}));

builder.objectField(FinalizedBlock, "block", (t) =>
  t.field({
    type: Block,
    description: "The finalized block itself.",
    nullable: true,
    resolve: ({ height }, _args, context) => joinsOf(context).block.load(height),
  }),
);

builder.objectField(Chain, "block", (t) =>
  t.field({
    type: Block,
    nullable: true,
    description: "The newest block.",
    resolve: ({ height }, _args, context) => joinsOf(context).block.load(height),
  }),
);

builder.objectField(FinalizationProof, "block", (t) =>
  t.field({
    type: Block,
    nullable: true,
    description: "The block of the event; null if the index has not reached it.",
    resolve: ({ height }, _args, context) => joinsOf(context).block.load(height),
  }),
);

builder.objectFields(Event, (t) => ({
  block: t.field({
    type: Block,
    nullable: true,
    description: "The block at the event's height on the current chain.",
    resolve: ({ height }, _args, context) => joinsOf(context).block.load(height),
  }),
  transaction: t.field({
    type: Transaction,
    nullable: true,
    description: "The transaction of the event, if it is confirmed.",
    resolve: ({ data }, _args, context) => {
      const { meta, hash, parentHash }: AnyOf<MessageBody> = JSON.parse(data);
      const found = (meta && "hash" in meta ? meta.hash : undefined) ?? parentHash ?? hash;
      return found === undefined ? null : joinsOf(context).transactionByHash.load(Buffer.from(found, "hex"));
    },
  }),
}));

const unresolvedOf = (entry: Entry) => bodyOf<ResolutionStatementBody>(entry).statement.unresolved;

for (const [type, idOf] of [
  [AddressResolution, (entry: Entry) => namespaceIdOf(addressIn(unresolvedOf(entry)))],
  [MosaicResolution, (entry: Entry) => parseId(unresolvedOf(entry)) ?? 0n],
] as const) {
  builder.objectFields(type, (t) => ({
    block: t.field({
      type: Block,
      nullable: true,
      description: "The block of the statement.",
      resolve: ({ id }, _args, context) => joinsOf(context).block.load(decodeEntityId(id).height),
    }),
    namespace: t.field({
      type: Namespace,
      nullable: true,
      description: "Current state of the namespace of the alias.",
      resolve: (entry, _args, context) => joinsOf(context).namespace.load(idOf(entry)),
    }),
  }));
}

const ADDRESS_DIGITS = 48;

builder.objectFields(ResolutionEntryType, (t) => ({
  account: t.field({
    type: Account,
    nullable: true,
    description: "For an address alias: the resolved account.",
    resolve: ({ resolved }, _args, context) =>
      resolved.length === ADDRESS_DIGITS ? joinsOf(context).account.load(addressIn(resolved)) : null,
  }),
  mosaic: t.field({
    type: Mosaic,
    nullable: true,
    description: "For a mosaic alias: the resolved mosaic.",
    resolve: ({ resolved }, _args, context) =>
      resolved.length === ADDRESS_DIGITS ? null : joinsOf(context).mosaic.load(parseId(resolved) ?? 0n),
  }),
}));
