import { checkBounds, given } from "./arguments.js";
import { builder } from "./builder.js";
import { findBlock, searchBlocks } from "./db/blocks.js";
import type { Entry } from "./db/page.js";
import { searchTransactions } from "./db/transactions.js";
import { bodyOf } from "./document.js";
import { listArguments, pageType, readList, splitArguments } from "./page.js";
import { TransactionPage } from "./transaction.js";

/** What is read of a block's REST body; all numbers that can be large are decimal text there, all bytes hex digits. */
interface BlockBody {
  readonly meta: {
    readonly hash: string;
    readonly generationHash: string;
    readonly totalFee: string;
    readonly transactionsCount: number;
    readonly totalTransactionsCount: number;
    readonly statementsCount: number;
  };
  readonly block: {
    readonly size: number;
    readonly type: number;
    readonly height: string;
    readonly timestamp: string;
    readonly difficulty: string;
    readonly feeMultiplier: number;
    readonly signerPublicKey: string;
    readonly beneficiaryAddress: string;
    readonly previousBlockHash: string;
    readonly transactionsHash: string;
    readonly receiptsHash: string;
    readonly stateHash: string;
  };
}

const metaOf = (entry: Entry) => bodyOf<BlockBody>(entry).meta;
const blockOf = (entry: Entry) => bodyOf<BlockBody>(entry).block;
const heightOf = (entry: Entry) => Number(blockOf(entry).height);

export const Block = builder.objectRef<Entry>("Block").implement({
  description: "A block of the chain.",
  fields: (t) => ({
    id: t.expose("id", { type: "EntityId" }),
    height: t.field({ type: "SafeInt", resolve: heightOf }),
    hash: t.field({ type: "Hash256", resolve: (entry) => metaOf(entry).hash }),
    generationHash: t.field({ type: "Hash256", resolve: (entry) => metaOf(entry).generationHash }),
    previousHash: t.field({ type: "Hash256", resolve: (entry) => blockOf(entry).previousBlockHash }),
    transactionsHash: t.field({ type: "Hash256", resolve: (entry) => blockOf(entry).transactionsHash }),
    receiptsHash: t.field({ type: "Hash256", resolve: (entry) => blockOf(entry).receiptsHash }),
    stateHash: t.field({ type: "Hash256", resolve: (entry) => blockOf(entry).stateHash }),
    type: t.int({
      description: "32835 for the nemesis block, 33091 for normal ones, 33347 for importance blocks.",
      resolve: (entry) => blockOf(entry).type,
    }),
    timestamp: t.field({
      type: "SafeInt",
      description: "Milliseconds since the network's epoch adjustment.",
      resolve: (entry) => Number(blockOf(entry).timestamp),
    }),
    difficulty: t.field({ type: "UInt64", resolve: (entry) => blockOf(entry).difficulty }),
    feeMultiplier: t.field({ type: "SafeInt", resolve: (entry) => blockOf(entry).feeMultiplier }),
    totalFee: t.field({
      type: "UInt64",
      description: "Fees of the block's transactions, atomic units of the currency mosaic.",
      resolve: (entry) => metaOf(entry).totalFee,
    }),
    signerPublicKey: t.field({ type: "PublicKey", resolve: (entry) => blockOf(entry).signerPublicKey }),
    beneficiaryAddress: t.field({
      type: "Address",
      resolve: (entry) => Buffer.from(blockOf(entry).beneficiaryAddress, "hex"),
    }),
    size: t.int({ description: "Bytes.", resolve: (entry) => blockOf(entry).size }),
    transactionsCount: t.int({ resolve: (entry) => metaOf(entry).transactionsCount }),
    totalTransactionsCount: t.int({
      description: "With those embedded in aggregates.",
      resolve: (entry) => metaOf(entry).totalTransactionsCount,
    }),
    statementsCount: t.int({ resolve: (entry) => metaOf(entry).statementsCount }),
    transactions: t.field({
      type: TransactionPage,
      args: {
        ...listArguments,
        embedded: t.arg.boolean({ description: "With those embedded in aggregates." }),
      },
      resolve: (entry, { embedded, ...list }, { db }) => {
        const filter = { height: heightOf(entry), embedded: embedded ?? false };
        return readList(list, (request) => searchTransactions(db, filter, request));
      },
    }),
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("document", { description: "The REST body as JSON text." }),
  }),
});

export const BlockPage = pageType("BlockPage", Block);

builder.queryFields((t) => ({
  block: t.field({
    type: Block,
    nullable: true,
    description: "The block at a height.",
    args: { height: t.arg({ type: "SafeInt", required: true }) },
    resolve: async (_root, { height }, { db }) => (await findBlock(db, height)) ?? null,
  }),
  blocks: t.field({
    type: BlockPage,
    description: "Blocks for which everything given holds, by height.",
    args: {
      signerPublicKey: t.arg({ type: "PublicKey", description: "Who harvested it." }),
      beneficiaryAddress: t.arg({ type: "Address" }),
      fromTimestamp: t.arg({ type: "SafeInt", description: "Milliseconds since the network's epoch adjustment." }),
      toTimestamp: t.arg({ type: "SafeInt" }),
      ...listArguments,
    },
    resolve: (_root, args, { db }) => {
      const { list, filter } = splitArguments(args);
      const blocks = given(filter);
      checkBounds("fromTimestamp", blocks.fromTimestamp, "toTimestamp", blocks.toTimestamp);
      return readList(list, (request) => searchBlocks(db, blocks, request));
    },
  }),
}));
