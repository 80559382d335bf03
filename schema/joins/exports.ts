import { type BalanceChange, readBalanceChanges, readPastMosaics } from "../../database/balances/balance-changes.js";
import type { TransactionEntry } from "../../database/bodies/transaction-bodies.js";
import { findBlockHash, heightsAtTimes } from "../../database/queries/blocks.js";
import { readHead } from "../../database/queries/head.js";
import { readTransactionRun } from "../../database/queries/transactions.js";
import { Transaction } from "../chain/transaction.js";
import { toTransactionFilter, transactionArguments } from "../chain/transaction-filter.js";
import { checkBounds, checkHeights, given, spanArguments } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { requestedEntries, requestsEntries } from "../graph/cost.js";
import { formatId, parseId } from "../graph/formats.js";
import { members } from "../graph/members.js";
import { OrderType } from "../graph/page.js";
import { resourcesOf } from "../network/resources.js";
import { invalidArgument, serviceUnavailable } from "../services/errors.js";
import { Mosaic } from "../state/mosaic.js";
import { historyDb, parseHeight } from "./balance-history.js";
import { type Connection, connectionType, cursorArguments, readConnection } from "./connection.js";
import { joinsOf } from "./joins.js";

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

const BalanceChangeType = builder.objectRef<BalanceChange>("BalanceChange").implement({
  description: "A block that changed an account's balance of a mosaic, without the balance.",
  fields: (t) => ({
    ...members(t, {
      height: ["SafeInt", "Height of the block."],
      timestamp: ["SafeInt", "Timestamp of the block, in milliseconds since the network's epoch adjustment."],
    }),
    change: t.string({
      description: "Change of the balance: signed atomic units, as text.",
      resolve: ({ change }) => String(change),
    }),
  }),
});

const BalanceChanges = connectionType("BalanceChanges", {
  description: "Changes of a balance, the oldest first.",
  entry: BalanceChangeType,
  entries: "Changes of the page.",
  pageInfo: "Whether there are newer changes, and from which cursor.",
  cursorOf: ({ height }) => String(height),
});

const PastMosaic = builder.objectRef<bigint>("PastMosaic").implement({
  description: "A mosaic of which an account owned some at any time.",
  fields: (t) => ({
    mosaicId: t.field({ description: "Id of the mosaic.", type: "ArtifactId", resolve: (id) => id }),
    mosaic: t.field({
      description: "State of the mosaic.",
      type: Mosaic,
      nullable: true,
      resolve: (id, _args, context) => joinsOf(context).mosaic.load(id),
    }),
  }),
});

const PastMosaics = connectionType("PastMosaics", {
  description: "Mosaics of which an account owned some at any time, by id.",
  entry: PastMosaic,
  entries: "Mosaics of the page.",
  pageInfo: "Whether there are more mosaics, and from which cursor.",
  cursorOf: formatId,
});

const TransactionRun = builder.objectRef<Connection<TransactionEntry>>("TransactionRun").implement({
  description: "Transactions without a total.",
  fields: (t) => ({
    data: t.field({
      extensions: requestedEntries,
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
      fromTime: t.arg({ description: "Unix milliseconds: blocks at this time or later.", type: "SafeInt" }),
      beforeTime: t.arg({ description: "Unix milliseconds: blocks before this time.", type: "SafeInt" }),
    },
    resolve: async (_root, args, context): Promise<HeightRange> => {
      const { fromHeight = 1, toHeight, fromTime = 0, beforeTime } = given(args);
      checkHeights({ fromHeight, toHeight });
      checkBounds("fromTime", fromTime, "beforeTime", beforeTime);
      const { db } = context;
      const epochAdjustment = (await resourcesOf(context).network()).section("network").milliseconds("epochAdjustment");
      const head = await readHead(db);
      if (!head || head.height === 0) throw serviceUnavailable("nothing is indexed yet: try again");
      const before = beforeTime === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, beforeTime - epochAdjustment);
      const times = await heightsAtTimes(db, Math.max(0, fromTime - epochAdjustment), before);
      const first = Math.max(1, fromHeight, times.first ?? head.height + 1);
      const last = Math.min(head.height, toHeight ?? head.height, times.last ?? 0);
      const hash = (await findBlockHash(db, Math.max(1, last))) ?? head.hash;
      return { fromHeight: first, toHeight: last, hash, epochAdjustment };
    },
  }),
  balanceChanges: t.field({
    type: BalanceChanges,
    description: "Every block that changed an account's balance of a mosaic, the oldest first.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...spanArguments,
      ...cursorArguments,
    },
    resolve: async (_root, { address, mosaicId, fromHeight, toHeight, ...list }, context) => {
      const db = await historyDb(context);
      const to = toHeight ?? Number.MAX_SAFE_INTEGER;
      return readConnection(list, parseHeight, (first, cursor) => {
        const after = Math.max(cursor ?? 0, (fromHeight ?? 1) - 1);
        return readBalanceChanges(db, { address, mosaicId }, { first, after, to });
      });
    },
  }),
  pastMosaics: t.field({
    type: PastMosaics,
    description: "Mosaics of which an account owned some at any time, by id.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      ...cursorArguments,
    },
    resolve: async (_root, { address, ...list }, context) => {
      const db = await historyDb(context);
      return readConnection(list, parseId, (first, after) => readPastMosaics(db, address, { first, after }));
    },
  }),
  transactionRun: t.field({
    type: TransactionRun,
    description:
      "Confirmed transactions that match all given conditions, without a total: to read a long list to its end.",
    args: {
      ...transactionArguments,
      first: t.arg.int({
        extensions: requestsEntries({ read: (first) => first, byDefault: DEFAULT_RUN }),
        description: `Number of entries: 1 to ${MAX_RUN}, by default ${DEFAULT_RUN}.`,
      }),
      after: t.arg({ type: "EntityId", description: "Id of the entry after which to start." }),
      order: t.arg({ type: OrderType, description: "Sort direction; desc by default." }),
    },
    resolve: async (_root, { first: count, after, order, ...args }, { db }) => {
      const { type: types, ...rest } = given(args);
      const filter = toTransactionFilter({ ...rest, types });
      const first = count ?? DEFAULT_RUN;
      if (first < 1 || first > MAX_RUN) throw invalidArgument(`first must be from 1 to ${MAX_RUN}, not ${first}`);
      const request = { first: first + 1, order: order ?? "desc", offset: after ?? undefined };
      const items = await readTransactionRun(db, filter, request);
      return { items: items.slice(0, first), hasNextPage: items.length > first, hasPreviousPage: after != null };
    },
  }),
}));
