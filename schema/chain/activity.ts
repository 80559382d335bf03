import type { Db } from "../../database/database.js";
import {
  type Activity,
  type ActivityRequest,
  type BlockInterval,
  countNewAccounts,
  countTypes,
  type Income,
  newestTimestamp,
  readActivity,
  readBlockIntervals,
  readIncome,
  readTypeActivity,
  type TypeActivity,
  type TypeCount,
} from "../../database/queries/activity.js";
import { findBlockRow } from "../../database/queries/blocks.js";
import { readIndexPoint } from "../../database/queries/head.js";
import {
  type ActivityDetails,
  type ActivityFilter,
  hasWholeDays,
  MAX_COUNTED,
  MAX_SIGNERS,
  readActivityDetails,
  readHarvesters,
  readTransactionActivity,
  type TransactionActivity,
} from "../../database/queries/transaction-activity.js";
import { invalidArgument } from "../errors/errors.js";
import { checkBounds, given, type Times } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { type Context, onceFor } from "../graph/context.js";
import { makeLoader } from "../graph/loader.js";
import { members } from "../graph/members.js";
import { epochOf, readTimestamps, timeField } from "../network/time.js";
import { typeArguments, typeNameField, withTypes } from "./transaction-type.js";

const SECOND_MS = 1_000;
const MIN_INTERVAL_SECONDS = 60;
const MAX_INTERVAL_SECONDS = 31 * 86_400;
/** Maximum number of intervals in one response. */
const MAX_INTERVALS = 1_000;
const DEFAULT_INTERVALS = 100;
/** Maximum number of transactions that are read for statistics by type. */
const MAX_TYPED_TRANSACTIONS = 200_000;

/**
 * Activity of an interval. What not every operation requests is read when it is, once for all intervals of a field, by
 * their starts.
 */
interface Interval extends BlockInterval {
  /** Sums over all transactions, where they are read together with the blocks. */
  readonly all?: Activity;
  readonly isFiltered: boolean;
  readonly hasMosaic: boolean;
  readonly sums: () => Promise<ReadonlyMap<number, TransactionActivity>>;
  readonly details: () => Promise<ReadonlyMap<number, ActivityDetails>>;
  readonly harvesters: () => Promise<ReadonlyMap<number, number>>;
}

const sumsOf = async ({ all, timestamp, sums }: Interval) => all ?? (await sums()).get(timestamp);
const detailsOf = async ({ timestamp, details }: Interval) => (await details()).get(timestamp);

const ActivityType = builder.objectRef<Interval>("Activity").implement({
  description: "Activity of the chain in a time interval: all transactions, or those that match the filter.",
  fields: (t) => ({
    time: timeField(t, "Start of the interval.", ({ timestamp }) => timestamp),
    ...members(t, {
      timestamp: ["SafeInt", "Start of the interval, in milliseconds since the network's epoch adjustment."],
      firstHeight: ["SafeInt", "Height of the interval's first block."],
      lastHeight: ["SafeInt", "Height of the interval's last block."],
    }),
    blocks: t.field({
      type: "SafeInt",
      description: "Number of blocks, whatever the filter.",
      resolve: ({ firstHeight, lastHeight }) => lastHeight - firstHeight + 1,
    }),
    transactions: t.field({
      type: "SafeInt",
      description: "Number of top-level transactions.",
      resolve: async (interval) => (await sumsOf(interval))?.transactions ?? 0,
    }),
    totalTransactions: t.field({
      type: "SafeInt",
      description: "Number of transactions, including embedded ones.",
      resolve: async (interval) => (await sumsOf(interval))?.totalTransactions ?? 0,
    }),
    fees: t.field({
      type: "UInt64",
      description:
        "Fees paid by top-level transactions, atomic units of the currency. " +
        `With a mosaicId, there may be at most ${MAX_COUNTED} transactions.`,
      resolve: async (interval) => (await (interval.hasMosaic ? detailsOf : sumsOf)(interval))?.fees ?? 0n,
    }),
    transfers: t.field({
      type: "SafeInt",
      description: "Number of transfers, including embedded ones.",
      resolve: async ({ timestamp, sums }) => (await sums()).get(timestamp)?.transfers ?? 0,
    }),
    volume: t.field({
      type: "UInt64",
      nullable: true,
      description: "Amount of mosaicId that was transferred, atomic units; null without a mosaicId.",
      resolve: async ({ timestamp, sums, hasMosaic }) =>
        hasMosaic ? ((await sums()).get(timestamp)?.volume ?? 0n) : null,
    }),
    activeAccounts: t.field({
      type: "SafeInt",
      description: `Number of accounts that signed such transactions. With a filter, there may be at most ${MAX_COUNTED} of these.`,
      resolve: async (interval) => (await detailsOf(interval))?.activeAccounts ?? 0,
    }),
    harvesters: t.field({
      type: "SafeInt",
      description: "Number of accounts that harvested its blocks, whatever the filter.",
      resolve: async ({ timestamp, harvesters }) => (await harvesters()).get(timestamp) ?? 0,
    }),
  }),
});

/** Counts the new accounts of all intervals of an operation at once. */
const newAccountsOf = onceFor(({ db }) => makeLoader((all: readonly BlockInterval[]) => countNewAccounts(db, all)));

const TypeActivityType = builder.objectRef<TypeActivity>("TypeActivity").implement({
  description: "Activity of transactions of one type in a time interval.",
  fields: (t) => ({
    ...members(t, {
      type: ["Int", "Transaction type, such as 16724 for a transfer."],
      transactions: ["SafeInt", "Number of top-level transactions."],
      totalTransactions: ["SafeInt", "Number of transactions, including embedded ones."],
      fees: ["UInt64", "Fees paid by these transactions, atomic units of the currency."],
    }),
    typeName: t.field(typeNameField(({ type }) => type)),
  }),
});

builder.objectFields(ActivityType, (t) => ({
  newAccounts: t.field({
    type: "SafeInt",
    description: "Number of accounts that blocks of the interval named first, whatever the filter.",
    resolve: (interval, _args, context) => newAccountsOf(context).load(interval),
  }),
  types: t.field({
    type: [TypeActivityType],
    description: `The same by transaction type, the most frequent first; at most ${MAX_TYPED_TRANSACTIONS} transactions per query.`,
    resolve: async (interval, _args, context) => {
      if (interval.isFiltered) throw invalidArgument("types cannot be requested with type, address or mosaicId");
      const { totalTransactions = 0 } = (await sumsOf(interval)) ?? {};
      return typesOf(context).load({ ...interval, totalTransactions });
    },
  }),
}));

/** Reads the types of all intervals of an operation at once. */
const typesOf = onceFor(({ db }) =>
  makeLoader(async (intervals: readonly (BlockInterval & { readonly totalTransactions: number })[]) => {
    const count = intervals.reduce((sum, { totalTransactions }) => sum + totalTransactions, 0);
    if (count > MAX_TYPED_TRANSACTIONS)
      throw invalidArgument(
        `types can be queried for at most ${MAX_TYPED_TRANSACTIONS} transactions, not ${count}: request a shorter span, or transactionTypes`,
      );
    return readTypeActivity(db, intervals);
  }),
);

const TypeCountType = builder.objectRef<TypeCount>("TransactionTypeCount").implement({
  description: "Number of transactions of a type.",
  fields: (t) => ({
    ...members(t, {
      type: ["Int", "Transaction type, such as 16724 for a transfer."],
      count: ["SafeInt", "Number of transactions."],
    }),
    typeName: t.field(typeNameField(({ type }) => type)),
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
  fields: (t) => ({
    time: timeField(t, "Start of the interval.", ({ timestamp }) => timestamp),
    ...members(t, {
      timestamp: ["SafeInt", "Start of the interval, in milliseconds since the network's epoch adjustment."],
      blocks: ["SafeInt", "Number of blocks with income."],
      amount: ["UInt64", "Income from fees and inflation, atomic units of the currency."],
    }),
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
      "Milliseconds after the epoch adjustment at which an interval starts; by default, intervals start at full hours " +
      "and days of UTC.",
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

/** @throws ApiError InvalidArgument naming what is out of range */
export async function readIntervalArguments(context: Context, args: IntervalArguments): Promise<ActivityRequest> {
  const { fromTime, toTime, ...span } = given(args);
  for (const [time, timestamp] of [
    ["fromTime", "fromTimestamp"],
    ["toTime", "toTimestamp"],
  ] as const) {
    if (args[time] != null && args[timestamp] != null)
      throw invalidArgument(`${time} and ${timestamp} exclude each other`);
  }
  const times = await readTimestamps(context, { fromTime, toTime });
  const intervalMs = args.intervalSeconds * SECOND_MS;
  const shift = span.shift ?? ((-(await epochOf(context)) % intervalMs) + intervalMs) % intervalMs;
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

/** All transactions of intervals that are no days are added up by block, others by day or one by one. */
async function readIntervals(db: Db, filter: ActivityFilter, request: ActivityRequest): Promise<Interval[]> {
  const isFiltered = Object.values(filter).some((one) => one !== undefined);
  const shared = {
    isFiltered,
    hasMosaic: filter.mosaicId !== undefined,
    sums: once(async () => {
      const sums = notTooMany(await readTransactionActivity(db, filter, request));
      return new Map(sums.map((one) => [one.timestamp, one]));
    }),
    details: once(async () => notTooMany(await readActivityDetails(db, filter, request))),
    harvesters: once(async () => notTooMany(await readHarvesters(db, request))),
  };
  if (isFiltered || (await hasWholeDays(db, request)))
    return (await readBlockIntervals(db, request)).map((interval) => ({ ...interval, ...shared }));
  return (await readActivity(db, request)).map((all) => ({ ...all, all, ...shared }));
}

function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => {
    reading ??= read();
    return reading;
  };
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
    description:
      "Blocks, transactions, transfers, volume, fees and active accounts by time interval, in ascending order; intervals " +
      "without blocks are omitted. Whole days of UTC are read from sums by day; elsewhere, with an address, and with " +
      `types of transfers of a mosaic, there may be at most ${MAX_COUNTED} matching transactions.`,
    args: {
      ...typeArguments,
      address: t.arg({ type: "Address", description: "Address that the transactions concern." }),
      mosaicId: t.arg({
        type: "ArtifactId",
        description: "Id of a transferred mosaic; also finds transfers that name it by a namespace.",
      }),
      ...intervalArguments,
    },
    resolve: async (_root, { type, typeName, address, mosaicId, ...args }, context) => {
      const filter = given(withTypes({ type, typeName, address, mosaicId }));
      return readIntervals(context.db, filter, await readIntervalArguments(context, args));
    },
  }),
  harvestIncome: t.field({
    type: [IncomeType],
    description:
      "Harvesting income of an account by time interval, in ascending order; intervals without income are omitted.",
    args: {
      address: t.arg({
        description:
          "Address of a main account that harvests, of a beneficiary, or of an account that the network pays from each block.",
        type: "Address",
        required: true,
      }),
      ...intervalArguments,
    },
    resolve: async (_root, { address, ...args }, context) =>
      readIncome(context.db, address, await readIntervalArguments(context, args)),
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
