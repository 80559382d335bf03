import {
  type Activity,
  type ActivityRequest,
  countTypes,
  type Income,
  newestTimestamp,
  readActivity,
  readIncome,
  readTypeActivity,
  type TypeActivity,
  type TypeCount,
} from "../../database/queries/activity.js";
import { findBlockRow } from "../../database/queries/blocks.js";
import { readIndexPoint } from "../../database/queries/head.js";
import {
  type ActivityDetails,
  MAX_COUNTED,
  MAX_SIGNERS,
  readActivityDetails,
  readTransactionActivity,
  type TransactionActivity,
} from "../../database/queries/transaction-activity.js";
import { checkBounds, checkTypes, given, type Times } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { type Context, onceFor } from "../graph/context.js";
import { costs, heavy } from "../graph/cost.js";
import { members } from "../graph/members.js";
import { epochOf, timeOf, timestampsOf } from "../network/time.js";
import { invalidArgument } from "../services/errors.js";
import { loaderOf } from "../services/loader.js";

const SECOND_MS = 1_000;
const MIN_INTERVAL_SECONDS = 60;
const MAX_INTERVAL_SECONDS = 31 * 86_400;
/** Maximum number of intervals in one response. */
const MAX_INTERVALS = 1_000;
const DEFAULT_INTERVALS = 100;
/** Maximum number of transactions that are read for statistics by type. */
const MAX_TYPED_TRANSACTIONS = 200_000;

const ActivityType = builder.objectRef<Activity>("Activity").implement({
  description: "Activity of the chain in a time interval.",
  fields: (t) =>
    members(t, {
      timestamp: ["SafeInt", "Start of the interval, in milliseconds since the network's epoch adjustment."],
      firstHeight: ["SafeInt", "Height of the interval's first block."],
      lastHeight: ["SafeInt", "Height of the interval's last block."],
      blocks: ["SafeInt", "Number of blocks."],
      transactions: ["SafeInt", "Number of top-level transactions."],
      totalTransactions: ["SafeInt", "Number of transactions, including embedded ones."],
      fees: ["UInt64", "Fees paid by transactions, atomic units of the currency."],
    }),
});

/** With what is read when it is asked for, once for all intervals of a field. */
interface DetailedActivity extends TransactionActivity {
  readonly details: () => Promise<ReadonlyMap<number, ActivityDetails>>;
}

const detailOf = async <Name extends keyof ActivityDetails>({ timestamp, details }: DetailedActivity, name: Name) =>
  (await details()).get(timestamp)?.[name];

const TransactionActivityType = builder.objectRef<DetailedActivity>("TransactionActivity").implement({
  description: "Transactions that match a filter, in a time interval with at least one.",
  fields: (t) => ({
    time: t.field({
      type: "Time",
      description: "Start of the interval.",
      resolve: ({ timestamp }, _args, context) => timeOf(context, timestamp),
    }),
    ...members(t, {
      transactions: ["SafeInt", "Number of top-level transactions."],
      totalTransactions: ["SafeInt", "Number of transactions, including embedded ones."],
      transfers: ["SafeInt", "Number of transfers, including embedded ones."],
      volume: ["UInt64", "Amount of mosaicId that was transferred, atomic units; 0 without a mosaicId."],
    }),
    activeAccounts: t.field({
      type: "SafeInt",
      description: `Number of accounts that signed such transactions. With a filter, there may be at most ${MAX_COUNTED} of these.`,
      resolve: async (activity) => (await detailOf(activity, "activeAccounts")) ?? 0,
    }),
    fees: t.field({
      type: "UInt64",
      description:
        "Fees paid by top-level transactions, atomic units of the currency. " +
        `With a mosaicId, there may be at most ${MAX_COUNTED} of these.`,
      resolve: async (activity) => activity.fees ?? (await detailOf(activity, "fees")) ?? 0n,
    }),
  }),
});

builder.objectField(ActivityType, "time", (t) =>
  t.field({
    type: "Time",
    description: "Start of the interval.",
    resolve: ({ timestamp }, _args, context) => timeOf(context, timestamp),
  }),
);

const TypeActivityType = builder.objectRef<TypeActivity>("TypeActivity").implement({
  description: "Activity of transactions of one type in a time interval.",
  fields: (t) =>
    members(t, {
      type: ["Int", "Transaction type, such as 16724 for a transfer."],
      transactions: ["SafeInt", "Number of top-level transactions."],
      totalTransactions: ["SafeInt", "Number of transactions, including embedded ones."],
      fees: ["UInt64", "Fees paid by these transactions, atomic units of the currency."],
    }),
});

builder.objectField(ActivityType, "types", (t) =>
  t.field({
    type: [TypeActivityType],
    description: `The same by transaction type, the most frequent first; at most ${MAX_TYPED_TRANSACTIONS} transactions per query.`,
    resolve: (activity, _args, context) => typesOf(context).load(activity),
  }),
);

/** Reads the types of all intervals of an operation at once. */
const typesOf = onceFor(({ db }) =>
  loaderOf(async (intervals: readonly Activity[]) => {
    const count = intervals.reduce((sum, { totalTransactions }) => sum + totalTransactions, 0);
    if (count > MAX_TYPED_TRANSACTIONS) {
      throw invalidArgument(
        `types can be queried for at most ${MAX_TYPED_TRANSACTIONS} transactions, not ${count}: request a shorter span, or transactionTypes`,
      );
    }
    return readTypeActivity(db, intervals);
  }),
);

const TypeCountType = builder.objectRef<TypeCount>("TransactionTypeCount").implement({
  description: "Number of transactions of a type.",
  fields: (t) =>
    members(t, {
      type: ["Int", "Transaction type, such as 16724 for a transfer."],
      count: ["SafeInt", "Number of transactions."],
    }),
});

/** @throws ApiError InvalidArgument for an interval that is too short or too long */
function checkIntervals(intervalMs: number, from: number, to: number, shift: number): void {
  const seconds = intervalMs / SECOND_MS;
  if (seconds < MIN_INTERVAL_SECONDS || seconds > MAX_INTERVAL_SECONDS) {
    throw invalidArgument(
      `intervalSeconds must be from ${MIN_INTERVAL_SECONDS} to ${MAX_INTERVAL_SECONDS}, not ${seconds}`,
    );
  }
  if (shift < 0 || shift >= intervalMs)
    throw invalidArgument(`shift must be from 0 to ${intervalMs - 1}, not ${shift}`);
  checkBounds("fromTimestamp", from, "toTimestamp", to);
}

/**
 * A page of the intervals of a span; without a number all of them.
 * @throws ApiError InvalidArgument for too many of them without a number, or a number below 1
 */
function pageOf(span: ActivityRequest, pageNumber: number | undefined): ActivityRequest {
  const { fromTimestamp, toTimestamp, intervalMs, shiftMs } = span;
  if (pageNumber === undefined) {
    const intervals = Math.ceil((toTimestamp - fromTimestamp) / intervalMs);
    if (intervals <= MAX_INTERVALS) return span;
    throw invalidArgument(
      `the span must not have more than ${MAX_INTERVALS} intervals, not ${intervals}, without a pageNumber`,
    );
  }
  if (pageNumber < 1) throw invalidArgument(`pageNumber must be at least 1, not ${pageNumber}`);
  const begin = Math.floor((fromTimestamp - shiftMs) / intervalMs) * intervalMs + shiftMs;
  const endOf = (page: number) => Math.min(begin + page * MAX_INTERVALS * intervalMs, toTimestamp);
  return { ...span, fromTimestamp: Math.max(fromTimestamp, endOf(pageNumber - 1)), toTimestamp: endOf(pageNumber) };
}

const IncomeType = builder.objectRef<Income>("Income").implement({
  description: "Harvesting income of an account in a time interval.",
  fields: (t) =>
    members(t, {
      timestamp: ["SafeInt", "Start of the interval, in milliseconds since the network's epoch adjustment."],
      blocks: ["SafeInt", "Number of blocks with income."],
      amount: ["UInt64", "Income from fees and inflation, atomic units of the currency."],
    }),
});

/** Arguments that divide a span of time into intervals. */
export const intervalArguments = builder.args((t) => ({
  intervalSeconds: t.int({
    required: true,
    description: "Length of an interval in seconds: 3600 for hours, 86400 for days.",
  }),
  fromTimestamp: t.field({
    type: "SafeInt",
    description: `Inclusive start, in milliseconds since the epoch adjustment; by default ${DEFAULT_INTERVALS} intervals before the end.`,
  }),
  toTimestamp: t.field({
    type: "SafeInt",
    description: "Exclusive end, in milliseconds since the epoch adjustment; by default right after the newest block.",
  }),
  shift: t.field({
    type: "SafeInt",
    description:
      "Milliseconds after the epoch adjustment at which an interval starts; 0 by default. With fromTime or toTime, " +
      "and in transactionActivity, intervals start at full hours and days of UTC by default.",
  }),
  fromTime: t.field({ type: "Time", description: "Inclusive start, in place of fromTimestamp." }),
  toTime: t.field({ type: "Time", description: "Exclusive end, in place of toTimestamp." }),
  pageNumber: t.int({
    description: `Page of ${MAX_INTERVALS} intervals, from 1: required for a span that has more.`,
  }),
}));

interface IntervalArguments extends Times {
  readonly intervalSeconds: number;
  readonly fromTimestamp?: number | null | undefined;
  readonly toTimestamp?: number | null | undefined;
  readonly shift?: number | null | undefined;
  readonly pageNumber?: number | null | undefined;
}

/**
 * @param isAlwaysByTime whether intervals start at full hours and days of UTC even without `fromTime` and `toTime`
 * @throws ApiError InvalidArgument naming what is out of range
 */
export async function intervalsOf(
  context: Context,
  args: IntervalArguments,
  isAlwaysByTime = false,
): Promise<ActivityRequest> {
  const { fromTime, toTime, ...span } = given(args);
  const times = await timestampsOf(context, { fromTime, toTime });
  const intervalMs = args.intervalSeconds * SECOND_MS;
  const isByTime = isAlwaysByTime || fromTime !== undefined || toTime !== undefined;
  const shift = span.shift ?? (isByTime ? (-(await epochOf(context)) % intervalMs) + intervalMs : 0) % intervalMs;
  const toTimestamp = times.before ?? span.toTimestamp ?? ((await newestTimestamp(context.db)) ?? 0) + 1;
  const fromTimestamp = times.from ?? span.fromTimestamp ?? Math.max(0, toTimestamp - DEFAULT_INTERVALS * intervalMs);
  checkIntervals(intervalMs, fromTimestamp, toTimestamp, shift);
  return pageOf({ fromTimestamp, toTimestamp, intervalMs, shiftMs: shift }, span.pageNumber);
}

/** @throws ApiError InvalidArgument instead of undefined */
function notTooMany<Found>(found: Found | undefined): Found {
  if (found !== undefined) return found;
  throw invalidArgument(
    `there are more than ${MAX_COUNTED} such transactions outside whole days, or ${MAX_SIGNERS} signers of days: ` +
      "request a shorter span, or intervals of days",
  );
}

interface FinalizationLag {
  readonly height: number;
  readonly finalizedHeight: number;
  readonly seconds: number;
}

const FinalizationLagType = builder.objectRef<FinalizationLag>("FinalizationLag").implement({
  description: "Lag of finalization behind the newest block.",
  fields: (t) => ({
    ...members(t, {
      height: ["SafeInt", "Height of the newest block."],
      finalizedHeight: ["SafeInt", "Height of the last finalized block; 0 while nothing is finalized."],
      seconds: ["SafeInt", "Seconds between the last finalized and the newest block."],
    }),
    blocks: t.field({
      description: "Number of blocks that may still be rolled back.",
      type: "SafeInt",
      resolve: ({ height, finalizedHeight }) => height - finalizedHeight,
    }),
  }),
});

builder.queryFields((t) => ({
  activity: t.field({
    type: [ActivityType],
    extensions: costs({ ...heavy.cost, entries: DEFAULT_INTERVALS }),
    description:
      "Blocks, transactions and fees by time interval, in ascending order; intervals without blocks are omitted.",
    args: intervalArguments,
    resolve: async (_root, args, context) => readActivity(context.db, await intervalsOf(context, args)),
  }),
  transactionActivity: t.field({
    type: [TransactionActivityType],
    extensions: costs({ ...heavy.cost, entries: DEFAULT_INTERVALS }),
    description:
      "Transactions, transfers, volume, fees and active accounts by time interval, in ascending order; intervals " +
      "without a matching transaction are omitted. Whole days of UTC are read from sums by day; elsewhere, and with an " +
      `address or with types of transfers of a mosaic, there may be at most ${MAX_COUNTED} matching transactions.`,
    args: {
      type: t.arg.intList({ description: "Transaction types to include." }),
      address: t.arg({ type: "Address", description: "Address that the transactions concern." }),
      mosaicId: t.arg({
        type: "ArtifactId",
        description: "Id of a transferred mosaic; also finds transfers that name it by a namespace.",
      }),
      ...intervalArguments,
    },
    resolve: async (_root, { type, address, mosaicId, ...args }, context) => {
      checkTypes("type", type);
      const filter = given({ types: type, address, mosaicId });
      const { db } = context;
      const request = await intervalsOf(context, args, true);
      const found = notTooMany(await readTransactionActivity(db, filter, request));
      let reading: Promise<ReadonlyMap<number, ActivityDetails>> | undefined;
      const details = () => {
        reading ??= readActivityDetails(db, filter, request).then(notTooMany);
        return reading;
      };
      return found.map((activity) => ({ ...activity, details }));
    },
  }),
  harvestIncome: t.field({
    type: [IncomeType],
    extensions: costs({ ...heavy.cost, entries: DEFAULT_INTERVALS }),
    description:
      "Harvesting income of an account by time interval, in ascending order; intervals without income are omitted.",
    args: {
      address: t.arg({
        description: "Address of a beneficiary, or of an account that the network pays from each block.",
        type: "Address",
        required: true,
      }),
      ...intervalArguments,
    },
    resolve: async (_root, { address, ...args }, context) =>
      readIncome(context.db, address, await intervalsOf(context, args)),
  }),
  finalizationLag: t.field({
    type: FinalizationLagType,
    resolve: async (_root, _args, { db }) => {
      const { height, finalizedHeight, timestamp } = await readIndexPoint(db);
      const finalized = await findBlockRow(db, finalizedHeight);
      const seconds = Math.round((timestamp - (finalized?.timestamp ?? 0)) / SECOND_MS);
      return { height, finalizedHeight, seconds };
    },
    description: "Lag of finalization behind the newest block.",
  }),
  transactionTypes: t.field({
    type: [TypeCountType],
    extensions: heavy,
    description: "Number of transactions of each type, the most frequent first.",
    args: {
      fromHeight: t.arg({ type: "SafeInt", description: "Minimum height, inclusive." }),
      toHeight: t.arg({ type: "SafeInt", description: "Maximum height, inclusive." }),
      embedded: t.arg.boolean({ description: "Whether to include embedded transactions; default false." }),
    },
    resolve: (_root, args, { db }) => {
      const { embedded, ...span } = given(args);
      checkBounds("fromHeight", span.fromHeight, "toHeight", span.toHeight);
      return countTypes(db, span, embedded ?? false);
    },
  }),
}));
