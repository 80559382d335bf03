import { MAX_STORED_HEIGHT } from "../../catapult/json/entity-id.js";
import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import { findNewestUpTo } from "../../database/queries/blocks.js";
import { readTransactionRun } from "../../database/queries/transactions.js";
import { invalidArgument, serviceUnavailable } from "../errors/errors.js";
import { checkHeights, given, spanArguments, timeArguments } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import type { Connection } from "../graph/connection.js";
import { members } from "../graph/members.js";
import { OrderType } from "../graph/page.js";
import { Transaction } from "../graph/types.js";
import { epochOf, heightsBetween } from "../network/time.js";
import { toTransactionFilter, transactionArguments } from "./transaction-filter.js";
import { withTypes } from "./transaction-type.js";

/** A range of heights on the chain as it is now, with what is needed to show that it still is. */
interface HeightRange {
  readonly fromHeight: number;
  /** Below `fromHeight` if no block is in the range. */
  readonly toHeight: number;
  readonly hash: Buffer;
  /** Unix ms. */
  readonly epochAdjustment: number;
}

const HeightRangeType = builder.objectRef<HeightRange>("HeightRange").implement({
  description: "A range of heights of the current chain.",
  fields: (t) =>
    members(t, {
      fromHeight: ["SafeInt", "Height of the first block."],
      toHeight: ["SafeInt", "Height of the last block; below fromHeight if there is no block in the range."],
      hash: ["Hash256", "Hash of the newest block at or below toHeight: while it is unchanged, so is the range."],
      epochAdjustment: ["SafeInt", "Unix milliseconds to add to the timestamps of blocks."],
    }),
});

const TransactionRun = builder.objectRef<Connection<TransactionEntry>>("TransactionRun").implement({
  description: "Transactions without a total.",
  fields: (t) => ({
    data: t.field({
      description: "Transactions of the page.",
      type: [Transaction],
      resolve: ({ items }) => [...items],
    }),
    hasNextPage: t.boolean({ description: "Whether more transactions follow.", resolve: (list) => list.hasNextPage }),
  }),
});

const DEFAULT_RUN = 10;
const MAX_RUN = 500;

builder.queryFields((t) => ({
  heightRange: t.field({
    type: HeightRangeType,
    description: "The heights between two heights and two times, as far as the index has them.",
    args: {
      ...spanArguments,
      ...timeArguments,
    },
    resolve: async (_root, args, context): Promise<HeightRange> => {
      const { fromHeight = 1, toHeight, fromTime, toTime } = given(args);
      checkHeights({ fromHeight, toHeight });
      const epochAdjustment = await epochOf(context);
      const times = await heightsBetween(context, { fromTime, toTime });
      const max = Math.min(toHeight ?? MAX_STORED_HEIGHT, times.last ?? 0);
      const newest = await findNewestUpTo(context.db, max);
      if (!newest) throw serviceUnavailable("nothing is indexed yet: try again");
      const { headHeight, hash } = newest;
      const first = Math.max(1, fromHeight, times.first ?? headHeight + 1);
      return { fromHeight: first, toHeight: Math.min(headHeight, max), hash, epochAdjustment };
    },
  }),
  transactionRun: t.field({
    type: TransactionRun,
    description:
      "Confirmed transactions that match all given conditions, without a total: to read a long list to its end.",
    args: {
      ...transactionArguments,
      first: t.arg.int({
        description: `Number of entries: 1 to ${MAX_RUN}, by default ${DEFAULT_RUN}.`,
      }),
      after: t.arg({ type: "EntityId", description: "Id of the entry after which to start." }),
      order: t.arg({ type: OrderType, description: "Sort direction; desc by default." }),
    },
    resolve: async (_root, { first: count, after, order, ...args }, { db }) => {
      const filter = toTransactionFilter(given(withTypes(args)));
      const first = count ?? DEFAULT_RUN;
      if (first < 1 || first > MAX_RUN) throw invalidArgument(`first must be from 1 to ${MAX_RUN}, not ${first}`);
      const request = { first: first + 1, order: order ?? "desc", offset: after ?? undefined };
      const items = await readTransactionRun(db, filter, request);
      return { items: items.slice(0, first), hasNextPage: items.length > first, hasPreviousPage: after != null };
    },
  }),
}));
