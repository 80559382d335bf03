import { BLOCK_HEADER, type BlockBody, IMPORTANCE_BLOCK_HEADER } from "../../catapult/nouns/block.js";
import type { Entry } from "../../database/lists/page.js";
import { findBlock, findNamedBlock, searchBlocks } from "../../database/queries/blocks.js";
import { searchTransactions } from "../../database/queries/transactions.js";
import {
  checkBounds,
  checkHeights,
  checkTypes,
  given,
  isLimitedToTimes,
  spanArguments,
  timeArguments,
} from "../graph/arguments.js";
import { bodyOf, entryFields } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { declaredFields, membersOf } from "../graph/members.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { limitedToTimes, timeField } from "../network/time.js";
import { TransactionPage } from "./transaction.js";

const metaOf = (entry: Entry) => bodyOf<BlockBody>(entry).meta;
const blockOf = (entry: Entry) => bodyOf<BlockBody>(entry).block;
/** Height of a block. */
export const heightOf = (entry: Entry) => Number(blockOf(entry).height);

export const Block = builder.objectRef<Entry>("Block").implement({
  description: "A block of the chain.",
  fields: (t) => ({
    ...entryFields(t, "Id of the block: its height, followed by zeros."),
    time: timeField(t, "Time of the block.", (entry) => Number(blockOf(entry).timestamp)),
    ...membersOf(t, metaOf, {
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
    ...declaredFields(t, blockOf, [BLOCK_HEADER, IMPORTANCE_BLOCK_HEADER]),
    transactions: t.field({
      type: TransactionPage,
      description: "Transactions of the block.",
      args: {
        ...listArguments,
        type: t.arg.intList({ description: "Transaction types to include." }),
        embedded: t.arg.boolean({ description: "Whether to include embedded transactions." }),
      },
      resolve: (entry, { type: types, ...args }, { db }) => {
        checkTypes("type", types);
        return searchList(searchTransactions, { ...args, height: heightOf(entry), types }, () => db);
      },
    }),
  }),
});

export const BlockPage = pageType("BlockPage", Block);

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
      signerPublicKey: t.arg({ type: "PublicKey", description: "Public key of the harvester." }),
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
