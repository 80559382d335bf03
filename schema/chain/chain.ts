import { findFinalizedBlock } from "../../database/queries/finalized-blocks.js";
import { type Finalization, type Head, readHead } from "../../database/queries/head.js";
import { builder } from "../graph/builder.js";
import { serviceUnavailable } from "../services/errors.js";

const UINT64_BITS = 64n;
const UINT64_MASK = 2n ** UINT64_BITS - 1n;

export const FinalizedBlock = builder.objectRef<Finalization>("FinalizedBlock").implement({
  description: "A block that can no longer be rolled back, and every one below it neither.",
  fields: (t) => ({
    finalizationEpoch: t.expose("epoch", { description: "In which it was voted for.", type: "SafeInt" }),
    finalizationPoint: t.expose("point", { description: "The round of votes in the epoch.", type: "SafeInt" }),
    height: t.expose("height", { description: "Its height.", type: "SafeInt" }),
    hash: t.expose("hash", { description: "Its hash.", type: "Hash256" }),
  }),
});

export const Chain = builder.objectRef<Head>("Chain").implement({
  description: "Where the index stands: what is served beside it is of this chain.",
  fields: (t) => ({
    height: t.expose("height", { description: "Of the newest block.", type: "SafeInt" }),
    hash: t.expose("hash", { type: "Hash256", description: "Of the block at this height." }),
    scoreHigh: t.field({
      type: "UInt64",
      description: "Upper 64 bits of the sum of block scores.",
      resolve: ({ score }) => score >> UINT64_BITS,
    }),
    scoreLow: t.field({ type: "UInt64", description: "Lower 64 bits.", resolve: ({ score }) => score & UINT64_MASK }),
    latestFinalizedBlock: t.field({
      description: "What can no longer be rolled back.",
      type: FinalizedBlock,
      resolve: ({ finalization }) => finalization,
    }),
  }),
});

builder.queryFields((t) => ({
  chain: t.field({
    type: Chain,
    description: "Height, score and finalization of the chain that is served here.",
    resolve: async (_root, _args, { db }) => {
      const head = await readHead(db);
      if (!head || head.height === 0) throw serviceUnavailable("nothing is indexed yet: try again");
      return head;
    },
  }),
  finalizedBlock: t.field({
    type: FinalizedBlock,
    nullable: true,
    description: "The last block that was finalized in an epoch.",
    args: { epoch: t.arg({ description: "From 1.", type: "SafeInt", required: true }) },
    resolve: async (_root, { epoch }, { db }) => (await findFinalizedBlock(db, epoch)) ?? null,
  }),
}));
