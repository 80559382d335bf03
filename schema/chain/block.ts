import type { BlockBody } from "../../catapult/body/block.js";
import type { Entry } from "../../database/lists/page.js";
import { findBlock, findNamedBlock, searchBlocks } from "../../database/queries/blocks.js";
import { searchTransactions } from "../../database/queries/transactions.js";
import { checkBounds, checkHeights, checkTypes, given, spanArguments } from "../graph/arguments.js";
import { bodyOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { listArguments, pageType, searchList } from "../graph/page.js";
import { TransactionPage } from "./transaction.js";

const metaOf = (entry: Entry) => bodyOf<BlockBody>(entry).meta;
const blockOf = (entry: Entry) => bodyOf<BlockBody>(entry).block;
/** What only importance blocks have; nothing for others. */
const importanceOf = (entry: Entry) => {
  const block = blockOf(entry);
  return "totalVotingBalance" in block ? block : undefined;
};
/** Height of a block. */
export const heightOf = (entry: Entry) => Number(blockOf(entry).height);

export const Block = builder.objectRef<Entry>("Block").implement({
  description: "A block of the chain.",
  fields: (t) => ({
    id: t.expose("id", { description: "Id of the block: its height, followed by zeros.", type: "EntityId" }),
    height: t.field({ description: "Height of the block.", type: "SafeInt", resolve: heightOf }),
    hash: t.field({
      description: "Hash of the block's header.",
      type: "Hash256",
      resolve: (entry) => metaOf(entry).hash,
    }),
    generationHash: t.field({
      description: "Generation hash, which determines the next harvester.",
      type: "Hash256",
      resolve: (entry) => metaOf(entry).generationHash,
    }),
    previousHash: t.field({
      description: "Hash of the previous block.",
      type: "Hash256",
      resolve: (entry) => blockOf(entry).previousBlockHash,
    }),
    transactionsHash: t.field({
      description: "Root of the tree of the block's transactions.",
      type: "Hash256",
      resolve: (entry) => blockOf(entry).transactionsHash,
    }),
    receiptsHash: t.field({
      description: "Root of the tree of the block's statements.",
      type: "Hash256",
      resolve: (entry) => blockOf(entry).receiptsHash,
    }),
    stateHash: t.field({
      description: "Hash of the roots of all state trees after the block.",
      type: "Hash256",
      resolve: (entry) => blockOf(entry).stateHash,
    }),
    type: t.int({
      description: "Block type: 32835 nemesis, 33091 normal, 33347 importance.",
      resolve: (entry) => blockOf(entry).type,
    }),
    timestamp: t.field({
      type: "SafeInt",
      description: "Minimum timestamp, inclusive, in milliseconds since the network's epoch adjustment.",
      resolve: (entry) => Number(blockOf(entry).timestamp),
    }),
    difficulty: t.field({
      description: "Difficulty of harvesting the block.",
      type: "UInt64",
      resolve: (entry) => blockOf(entry).difficulty,
    }),
    feeMultiplier: t.field({
      description: "Fee multiplier: atomic units of the currency per byte of a transaction.",
      type: "SafeInt",
      resolve: (entry) => blockOf(entry).feeMultiplier,
    }),
    totalFee: t.field({
      type: "UInt64",
      description: "Sum of the fees of the block's transactions, atomic units of the currency mosaic.",
      resolve: (entry) => metaOf(entry).totalFee,
    }),
    signerPublicKey: t.field({
      description: "Public key that signed the block; with delegated harvesting the key of a remote account.",
      type: "PublicKey",
      resolve: (entry) => blockOf(entry).signerPublicKey,
    }),
    beneficiaryAddress: t.field({
      description: "Address of the beneficiary of the block's fees.",
      type: "Address",
      resolve: (entry) => Buffer.from(blockOf(entry).beneficiaryAddress, "hex"),
    }),
    size: t.int({ description: "Bytes.", resolve: (entry) => blockOf(entry).size }),
    transactionsCount: t.int({
      description: "Number of top-level transactions.",
      resolve: (entry) => metaOf(entry).transactionsCount,
    }),
    totalTransactionsCount: t.int({
      description: "Number of transactions, including embedded ones.",
      resolve: (entry) => metaOf(entry).totalTransactionsCount,
    }),
    statementsCount: t.int({
      description: "Number of statements of all kinds: receipts and resolutions.",
      resolve: (entry) => metaOf(entry).statementsCount,
    }),
    stateHashSubCacheMerkleRoots: t.field({
      type: ["Hash256"],
      description: "Roots of the state trees, whose hash is the state hash; empty if the node sent none.",
      resolve: (entry) => [...metaOf(entry).stateHashSubCacheMerkleRoots],
    }),
    signature: t.field({
      type: "Signature",
      description: "Signature of the header, by the signer.",
      resolve: (entry) => blockOf(entry).signature,
    }),
    version: t.int({ description: "Version of the header's layout.", resolve: (entry) => blockOf(entry).version }),
    network: t.int({ description: "104 main, 152 test.", resolve: (entry) => blockOf(entry).network }),
    proofGamma: t.field({
      type: "Hex",
      description: "Gamma point of the VRF proof of the generation hash.",
      resolve: (entry) => blockOf(entry).proofGamma,
    }),
    proofVerificationHash: t.field({
      type: "Hex",
      description: "Challenge of the VRF proof.",
      resolve: (entry) => blockOf(entry).proofVerificationHash,
    }),
    proofScalar: t.field({
      type: "Hex",
      description: "Response scalar of the VRF proof.",
      resolve: (entry) => blockOf(entry).proofScalar,
    }),
    votingEligibleAccountsCount: t.field({
      type: "SafeInt",
      nullable: true,
      description:
        "Number of accounts that may vote. This and the next three exist in the nemesis block and importance blocks only.",
      resolve: (entry) => importanceOf(entry)?.votingEligibleAccountsCount,
    }),
    harvestingEligibleAccountsCount: t.field({
      type: "UInt64",
      nullable: true,
      description: "Number of accounts that may harvest.",
      resolve: (entry) => importanceOf(entry)?.harvestingEligibleAccountsCount,
    }),
    totalVotingBalance: t.field({
      type: "UInt64",
      nullable: true,
      description: "Total currency balance of the accounts that may vote, atomic units.",
      resolve: (entry) => importanceOf(entry)?.totalVotingBalance,
    }),
    previousImportanceBlockHash: t.field({
      type: "Hash256",
      nullable: true,
      description: "Hash of the previous importance block.",
      resolve: (entry) => importanceOf(entry)?.previousImportanceBlockHash,
    }),
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
    body: t.field({ type: "JSON", description: "The REST body.", resolve: (entry) => bodyOf(entry) }),
    document: t.exposeString("body", { description: "The REST body as JSON text." }),
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
      ...listArguments,
    },
    resolve: (_root, args, { db }) => {
      checkHeights(given(args));
      checkBounds("fromTimestamp", args.fromTimestamp, "toTimestamp", args.toTimestamp);
      return searchList(searchBlocks, args, () => db);
    },
  }),
}));
