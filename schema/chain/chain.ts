import { type Finalization, findFinalizedBlock, type Head, readHead } from "../../database/queries/head.js";
import { serviceUnavailable } from "../errors/errors.js";
import { builder } from "../graph/builder.js";
import { blockField } from "../graph/loaders.js";
import { members } from "../graph/members.js";

const UINT64_BITS = 64n;
const UINT64_MASK = 2n ** UINT64_BITS - 1n;

const FinalizedBlock = builder.objectRef<Finalization>("FinalizedBlock").implement({
  description: "A finalized block: neither it nor any lower block can be rolled back.",
  fields: (t) => ({
    ...members(t, {
      finalizationEpoch: ["SafeInt", "Finalization epoch of the vote.", "epoch"],
      finalizationPoint: ["SafeInt", "Finalization point: the voting round in the epoch.", "point"],
      height: ["SafeInt", "Height of the block."],
      hash: ["Hash256", "Hash of the block."],
    }),
    block: blockField(t, "The finalized block itself.", ({ height }) => height),
  }),
});

const Chain = builder.objectRef<Head>("Chain").implement({
  description: "Head of the index: all other data is consistent with this chain.",
  fields: (t) => ({
    ...members(t, {
      height: ["SafeInt", "Height of the newest block."],
      hash: ["Hash256", "Hash of the newest block."],
      latestFinalizedBlock: [FinalizedBlock, "The latest finalized block.", "finalization"],
    }),
    block: blockField(t, "The newest block.", ({ height }) => height),
    scoreHigh: t.field({
      type: "UInt64",
      description: "Upper 64 bits of the chain score, the sum of block scores.",
      resolve: ({ score }) => score >> UINT64_BITS,
    }),
    scoreLow: t.field({ type: "UInt64", description: "Lower 64 bits.", resolve: ({ score }) => score & UINT64_MASK }),
  }),
});

builder.queryFields((t) => ({
  chain: t.field({
    type: Chain,
    description: "Height, score and finalization of the served chain.",
    resolve: async (_root, _args, { db }) => {
      const head = await readHead(db);
      if (!head || head.height === 0) throw serviceUnavailable("nothing is indexed yet: try again");
      return head;
    },
  }),
  finalizedBlock: t.field({
    type: FinalizedBlock,
    nullable: true,
    description: "The last finalized block of an epoch.",
    args: { epoch: t.arg({ description: "From 1.", type: "SafeInt", required: true }) },
    resolve: async (_root, { epoch }, { db }) => (await findFinalizedBlock(db, epoch)) ?? null,
  }),
}));
