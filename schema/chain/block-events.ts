import { type BlockEvent, newestBlockEvent, readBlockEvents } from "../../database/queries/block-events.js";
import { invalidArgument } from "../errors/errors.js";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";

const DEFAULT_FIRST = 100;
const MAX_FIRST = 1_000;

interface BlockEvents {
  readonly newestSequence: number | undefined;
  readonly data: readonly BlockEvent[];
}

const BlockEventType = builder.objectRef<BlockEvent>("BlockEvent").implement({
  description: "A block was added to the served chain, or removed from it by a rollback.",
  fields: (t) =>
    members(t, {
      sequence: ["SafeInt", "From 0, without gaps: rises by one with each block that is added or removed."],
      height: ["SafeInt", "Height of the block."],
      hash: ["Hash256", "Hash of the block."],
      isRemoval: ["Boolean", "Whether the block was removed."],
    }),
});

const BlockEventsType = builder.objectRef<BlockEvents>("BlockEvents").implement({
  description: "Additions and removals of blocks, in order.",
  fields: (t) => ({
    newestSequence: t.field({
      type: "SafeInt",
      nullable: true,
      description: "Sequence of the newest event; null before the first block.",
      resolve: ({ newestSequence }) => newestSequence ?? null,
    }),
    data: t.field({
      type: [BlockEventType],
      description: "The requested events.",
      resolve: ({ data }) => [...data],
    }),
  }),
});

builder.queryField("blockEvents", (t) =>
  t.field({
    type: BlockEventsType,
    description:
      "Additions and removals of blocks. Sequences belong to one index: another index of the same chain may have seen " +
      "other rollbacks.",
    args: {
      from: t.arg({
        type: "SafeInt",
        description: "Sequence of the first event; by default that of the newest events.",
      }),
      first: t.arg.int({
        description: `Number of events: 1 to ${MAX_FIRST}, by default ${DEFAULT_FIRST}.`,
      }),
    },
    resolve: async (_root, { from, first }, { db }) => {
      const count = first ?? DEFAULT_FIRST;
      if (count < 1 || count > MAX_FIRST) throw invalidArgument(`first must be from 1 to ${MAX_FIRST}, not ${count}`);
      const newestSequence = await newestBlockEvent(db);
      if (newestSequence === undefined) return { newestSequence, data: [] };
      const start = from ?? Math.max(0, newestSequence - count + 1);
      const end = Math.min(newestSequence, start + count - 1);
      return { newestSequence, data: start > end ? [] : await readBlockEvents(db, start, end) };
    },
  }),
);
