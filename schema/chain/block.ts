import type { BlockBody } from "../../catapult/body/block.js";
import type { Entry } from "../../database/lists/page.js";
import { findBlock, searchBlocks } from "../../database/queries/blocks.js";
import { searchTransactions } from "../../database/queries/transactions.js";
import { checkBounds, checkHeights, checkTypes, given, spanArguments } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { bodyOf } from "../graph/document.js";
import { listArguments, pageType, readList, splitArguments } from "../graph/page.js";
import { TransactionPage } from "./transaction.js";

const metaOf = (entry: Entry) => bodyOf<BlockBody>(entry).meta;
const blockOf = (entry: Entry) => bodyOf<BlockBody>(entry).block;
/** What only importance blocks have; nothing for others. */
const importanceOf = (entry: Entry) => {
  const block = blockOf(entry);
  return "totalVotingBalance" in block ? block : undefined;
};
const heightOf = (entry: Entry) => Number(blockOf(entry).height);

export const Block = builder.objectRef<Entry>("Block").implement({
  description: "A block of the chain.",
  fields: (t) => ({
    id: t.expose("id", { description: "Its height, and zeros.", type: "EntityId" }),
    height: t.field({ description: "Blocks up to and including it.", type: "SafeInt", resolve: heightOf }),
    hash: t.field({ description: "Of its header.", type: "Hash256", resolve: (entry) => metaOf(entry).hash }),
    generationHash: t.field({
      description: "From which the next harvester is drawn.",
      type: "Hash256",
      resolve: (entry) => metaOf(entry).generationHash,
    }),
    previousHash: t.field({
      description: "Of the block before it.",
      type: "Hash256",
      resolve: (entry) => blockOf(entry).previousBlockHash,
    }),
    transactionsHash: t.field({
      description: "Root of the tree of its transactions.",
      type: "Hash256",
      resolve: (entry) => blockOf(entry).transactionsHash,
    }),
    receiptsHash: t.field({
      description: "Root of the tree of its statements.",
      type: "Hash256",
      resolve: (entry) => blockOf(entry).receiptsHash,
    }),
    stateHash: t.field({
      description: "Of the roots of all state trees behind it.",
      type: "Hash256",
      resolve: (entry) => blockOf(entry).stateHash,
    }),
    type: t.int({
      description: "32835 for the nemesis block, 33091 for normal ones, 33347 for importance blocks.",
      resolve: (entry) => blockOf(entry).type,
    }),
    timestamp: t.field({
      type: "SafeInt",
      description: "Milliseconds since the network's epoch adjustment.",
      resolve: (entry) => Number(blockOf(entry).timestamp),
    }),
    difficulty: t.field({
      description: "How hard it was to harvest.",
      type: "UInt64",
      resolve: (entry) => blockOf(entry).difficulty,
    }),
    feeMultiplier: t.field({
      description: "Atomic units of the currency for a byte of a transaction.",
      type: "SafeInt",
      resolve: (entry) => blockOf(entry).feeMultiplier,
    }),
    totalFee: t.field({
      type: "UInt64",
      description: "Fees of the block's transactions, atomic units of the currency mosaic.",
      resolve: (entry) => metaOf(entry).totalFee,
    }),
    signerPublicKey: t.field({
      description: "The key that signed it: where harvesting is delegated that of a remote account.",
      type: "PublicKey",
      resolve: (entry) => blockOf(entry).signerPublicKey,
    }),
    beneficiaryAddress: t.field({
      description: "Who gets the beneficiary's share of the fees.",
      type: "Address",
      resolve: (entry) => Buffer.from(blockOf(entry).beneficiaryAddress, "hex"),
    }),
    size: t.int({ description: "Bytes.", resolve: (entry) => blockOf(entry).size }),
    transactionsCount: t.int({
      description: "Without those embedded in aggregates.",
      resolve: (entry) => metaOf(entry).transactionsCount,
    }),
    totalTransactionsCount: t.int({
      description: "With those embedded in aggregates.",
      resolve: (entry) => metaOf(entry).totalTransactionsCount,
    }),
    statementsCount: t.int({
      description: "Of all kinds: receipts and resolutions.",
      resolve: (entry) => metaOf(entry).statementsCount,
    }),
    stateHashSubCacheMerkleRoots: t.field({
      type: ["Hash256"],
      description: "Roots of the state trees, of which the state hash is made; empty where the node gave none.",
      resolve: (entry) => [...metaOf(entry).stateHashSubCacheMerkleRoots],
    }),
    signature: t.field({
      type: "Signature",
      description: "Of the header, by the key that signed it.",
      resolve: (entry) => blockOf(entry).signature,
    }),
    version: t.int({ description: "Of the header's layout.", resolve: (entry) => blockOf(entry).version }),
    network: t.int({ description: "104 main, 152 test.", resolve: (entry) => blockOf(entry).network }),
    proofGamma: t.field({
      type: "Hex",
      description: "Of the proof that its harvester was drawn, as the next two.",
      resolve: (entry) => blockOf(entry).proofGamma,
    }),
    proofVerificationHash: t.field({
      type: "Hex",
      description: "The challenge of that proof.",
      resolve: (entry) => blockOf(entry).proofVerificationHash,
    }),
    proofScalar: t.field({
      type: "Hex",
      description: "The answer to the challenge.",
      resolve: (entry) => blockOf(entry).proofScalar,
    }),
    votingEligibleAccountsCount: t.field({
      type: "SafeInt",
      nullable: true,
      description: "Accounts that may vote. This and the next three are of the first and of importance blocks only.",
      resolve: (entry) => importanceOf(entry)?.votingEligibleAccountsCount,
    }),
    harvestingEligibleAccountsCount: t.field({
      type: "UInt64",
      nullable: true,
      description: "Accounts that may harvest.",
      resolve: (entry) => importanceOf(entry)?.harvestingEligibleAccountsCount,
    }),
    totalVotingBalance: t.field({
      type: "UInt64",
      nullable: true,
      description: "What those who may vote have of the currency, atomic units.",
      resolve: (entry) => importanceOf(entry)?.totalVotingBalance,
    }),
    previousImportanceBlockHash: t.field({
      type: "Hash256",
      nullable: true,
      description: "Of the importance block before it.",
      resolve: (entry) => importanceOf(entry)?.previousImportanceBlockHash,
    }),
    transactions: t.field({
      type: TransactionPage,
      description: "What is in it.",
      args: {
        ...listArguments,
        type: t.arg.intList({ description: "One of these types." }),
        embedded: t.arg.boolean({ description: "With those embedded in aggregates." }),
      },
      resolve: (entry, args, { db }) => {
        const { list, filter: asked } = splitArguments(args);
        const { type: types, embedded } = given(asked);
        checkTypes("type", types);
        const filter = { height: heightOf(entry), types, embedded };
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
    args: { height: t.arg({ description: "From 1.", type: "SafeInt", required: true }) },
    resolve: async (_root, { height }, { db }) => (await findBlock(db, height)) ?? null,
  }),
  blocks: t.field({
    type: BlockPage,
    description: "Blocks for which everything given holds, by height.",
    args: {
      signerPublicKey: t.arg({ type: "PublicKey", description: "Who harvested it." }),
      beneficiaryAddress: t.arg({ description: "Who gets the beneficiary's share of the fees.", type: "Address" }),
      fromTimestamp: t.arg({ type: "SafeInt", description: "Milliseconds since the network's epoch adjustment." }),
      toTimestamp: t.arg({ description: "Included, as fromTimestamp.", type: "SafeInt" }),
      ...spanArguments,
      ...listArguments,
    },
    resolve: (_root, args, { db }) => {
      const { list, filter } = splitArguments(args);
      const blocks = given(filter);
      checkHeights(blocks);
      checkBounds("fromTimestamp", blocks.fromTimestamp, "toTimestamp", blocks.toTimestamp);
      return readList(list, (request) => searchBlocks(db, blocks, request));
    },
  }),
}));
