import { BLOCK_HEADER, type BlockBody, IMPORTANCE_BLOCK_HEADER } from "../../catapult/structs/block.js";
import { describedFields } from "../../catapult/values/struct.js";
import type { Entry } from "../../database/lists/page.js";
import { findBlock, findNamedBlock, searchBlocks } from "../../database/queries/blocks.js";
import {
  searchAddressResolutions,
  searchMosaicResolutions,
  searchTransactionStatements,
} from "../../database/queries/statements.js";
import {
  findFirstTransactions,
  readTransactionHashes,
  searchTransactions,
} from "../../database/queries/transactions.js";
import {
  checkBounds,
  checkHeights,
  checkTypes,
  given,
  isLimitedToTimes,
  spanArguments,
  timeArguments,
} from "../graph/arguments.js";
import { blockOf, bodyOf, entryFields, heightOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { accountField, blockField, loadersOf } from "../graph/loaders.js";
import { declaredFields, makeMembers } from "../graph/members.js";
import { listArguments, searchList } from "../graph/page.js";
import { Account, Block, BlockPage, Transaction, TransactionPage } from "../graph/types.js";
import { limitedToTimes, timeField } from "../network/time.js";
import { AddressResolutionPage, MosaicResolutionPage, TransactionStatementPage } from "./statement.js";
import { typeArguments, withTypes } from "./transaction-type.js";

/** The first transactions of a block: their number, and bytes after which no further one is read. */
const FIRST = { count: 100, bytes: 65_536 };

const metaOf = (entry: Entry) => bodyOf<BlockBody>(entry).meta;

Block.implement({
  description: "A block of the chain.",
  fields: (t) => ({
    ...entryFields(t, "Id of the block: its height, followed by zeros."),
    time: timeField(t, "Time of the block.", (entry) => Number(blockOf(entry).timestamp)),
    ...makeMembers(t, metaOf, {
      hash: ["Hash256", "Hash of the block's header."],
      generationHash: ["Hash256", "Generation hash, which determines the next harvester."],
      totalFee: ["UInt64", "Sum of the fees of the block's transactions, atomic units of the currency mosaic."],
      transactionsCount: ["Int", "Number of top-level transactions."],
      totalTransactionsCount: ["Int", "Number of transactions, including embedded ones."],
      statementsCount: ["Int", "Number of statements of all kinds: receipts and resolutions."],
      stateHashSubCacheMerkleRoots: [
        ["Hash256"],
        "Roots of the state trees, whose hash is the state hash; empty if the node sent none.",
      ],
    }),
    ...declaredFields(t, blockOf, [BLOCK_HEADER, IMPORTANCE_BLOCK_HEADER].map(describedFields)),
    transactions: t.field({
      type: TransactionPage,
      description: "Transactions of the block.",
      args: {
        ...listArguments,
        ...typeArguments,
        embedded: t.arg.boolean({ description: "Whether to include embedded transactions." }),
      },
      resolve: (entry, args, { db }) =>
        searchList(searchTransactions, { ...withTypes(args), height: heightOf(entry) }, () => db),
    }),
    previous: blockField(t, "Previous block; null for the first block.", (entry) => heightOf(entry) - 1),
    next: blockField(t, "Next block; null for the newest block.", (entry) => heightOf(entry) + 1),
    isFinalized: t.boolean({
      description: "Whether the block can no longer be rolled back.",
      resolve: async (entry, _args, context) =>
        heightOf(entry) <= (await loadersOf(context).indexPoint()).finalizedHeight,
    }),
    harvester: t.field({
      type: Account,
      nullable: true,
      description:
        "Main account that harvested the block: its own key signed it, or that of the remote account linked to it then.",
      resolve: async (entry, _args, context) => {
        const address = await loadersOf(context).harvester.load(heightOf(entry));
        return address && loadersOf(context).account.load(address);
      },
    }),
    beneficiary: accountField(t, "Beneficiary of the block's fees.", (entry) => blockOf(entry).beneficiaryAddress),
  }),
});

builder.objectFields(Block, (t) => ({
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
  firstTransactions: t.field({
    type: [Transaction],
    description: `The first transactions of the block: at most ${FIRST.count}, and fewer if they are large.`,
    resolve: (entry, _args, { db }) => findFirstTransactions(db, heightOf(entry), FIRST),
  }),
  transactionHashes: t.field({
    type: ["Hash256"],
    description: "Hashes of the block's transactions, without embedded ones, in order.",
    resolve: (entry, _args, { db }) => readTransactionHashes(db, heightOf(entry)),
  }),
}));

builder.queryFields((t) => ({
  block: t.field({
    type: Block,
    nullable: true,
    description: "Returns the block at a height.",
    args: { height: t.arg({ description: "From 1.", type: "SafeInt", required: true }) },
    resolve: async (_root, { height }, { db }) => (await findBlock(db, height)) ?? null,
  }),
  namedBlock: t.field({
    type: Block,
    nullable: true,
    description: "The block that has this height and this hash, as far as they are given; the newest one without both.",
    args: {
      height: t.arg({ description: "Height of the block, from 1.", type: "SafeInt" }),
      hash: t.arg({ description: "Hash of the block.", type: "Hash256" }),
    },
    resolve: async (_root, args, { db }) => (await findNamedBlock(db, given(args))) ?? null,
  }),
  blocks: t.field({
    type: BlockPage,
    description: "Blocks that match all given conditions, by height.",
    args: {
      signerPublicKey: t.arg({
        type: "PublicKey",
        description: "Public key that signed the block; with delegated harvesting the key of a remote account.",
      }),
      beneficiaryAddress: t.arg({ description: "Address of the beneficiary of the block's fees.", type: "Address" }),
      fromTimestamp: t.arg({
        type: "SafeInt",
        description: "Minimum timestamp, inclusive, in milliseconds since the network's epoch adjustment.",
      }),
      toTimestamp: t.arg({
        description: "Maximum timestamp, inclusive, in milliseconds since the network's epoch adjustment.",
        type: "SafeInt",
      }),
      ...spanArguments,
      ...timeArguments,
      ...listArguments,
    },
    resolve: async (_root, { fromTime, toTime, ...args }, context) => {
      const filter = given(args);
      checkHeights(filter);
      checkBounds("fromTimestamp", args.fromTimestamp, "toTimestamp", args.toTimestamp);
      const times = { fromTime, toTime };
      const limited = isLimitedToTimes(times) ? await limitedToTimes(context, filter, times) : filter;
      return searchList(searchBlocks, limited, () => context.db);
    },
  }),
}));
