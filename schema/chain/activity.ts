import type { Db } from "../../database/database.js";
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
import { checkBounds, given } from "../graph/arguments.js";
import { builder } from "../graph/builder.js";
import { onceFor } from "../graph/context.js";
import { costs, heavy } from "../graph/cost.js";
import { invalidArgument } from "../services/errors.js";
import { loaderOf } from "../services/loader.js";

const SECOND_MS = 1_000;
const MIN_STRETCH_SECONDS = 60;
const MAX_STRETCH_SECONDS = 31 * 86_400;
/** Stretches that one answer may have. */
const MAX_STRETCHES = 1_000;
const DEFAULT_STRETCHES = 100;
/** Each of them is read for figures by type. */
const MAX_TYPED_TRANSACTIONS = 200_000;

const ActivityType = builder.objectRef<Activity>("Activity").implement({
  description: "What happened in a stretch of time.",
  fields: (t) => ({
    timestamp: t.expose("timestamp", {
      type: "SafeInt",
      description: "Where it begins, in milliseconds since the network's epoch adjustment.",
    }),
    firstHeight: t.expose("firstHeight", { description: "Its first block.", type: "SafeInt" }),
    lastHeight: t.expose("lastHeight", { description: "Its last block.", type: "SafeInt" }),
    blocks: t.expose("blocks", { description: "Blocks in it.", type: "SafeInt" }),
    transactions: t.expose("transactions", { type: "SafeInt", description: "Without embedded ones." }),
    totalTransactions: t.expose("totalTransactions", { type: "SafeInt", description: "With embedded ones." }),
    fees: t.expose("fees", { type: "UInt64", description: "Atomic units of the currency that transactions paid." }),
  }),
});

const TypeActivityType = builder.objectRef<TypeActivity>("TypeActivity").implement({
  description: "What transactions of one type did in a stretch of time.",
  fields: (t) => ({
    type: t.exposeInt("type", { description: "Such as 16724 for a transfer." }),
    transactions: t.expose("transactions", { type: "SafeInt", description: "Without embedded ones." }),
    totalTransactions: t.expose("totalTransactions", { type: "SafeInt", description: "With embedded ones." }),
    fees: t.expose("fees", { type: "UInt64", description: "Atomic units of the currency that they paid." }),
  }),
});

builder.objectField(ActivityType, "types", (t) =>
  t.field({
    type: [TypeActivityType],
    description: `The same by type, the most frequent first; at most ${MAX_TYPED_TRANSACTIONS} transactions in one question.`,
    resolve: (activity, _args, context) => typesOf(context).load(activity),
  }),
);

/** Reads the types of all stretches of an operation at once. */
const typesOf = onceFor(({ db }) =>
  loaderOf(async (stretches: readonly Activity[]) => {
    const count = stretches.reduce((sum, { totalTransactions }) => sum + totalTransactions, 0);
    if (count > MAX_TYPED_TRANSACTIONS) {
      throw invalidArgument(
        `types are told of ${MAX_TYPED_TRANSACTIONS} transactions at most, not of ${count}: ask for a shorter span, or for transactionTypes`,
      );
    }
    return readTypeActivity(db, stretches);
  }),
);

const TypeCountType = builder.objectRef<TypeCount>("TransactionTypeCount").implement({
  description: "How many transactions there are of a type.",
  fields: (t) => ({
    type: t.expose("type", { type: "Int", description: "Such as 16724 for a transfer." }),
    count: t.expose("count", { description: "How many.", type: "SafeInt" }),
  }),
});

/** @throws ApiError InvalidArgument for a stretch that is too short or too long, or too many of them */
function checkStretches(stretchMs: number, from: number, to: number, shift: number): void {
  const seconds = stretchMs / SECOND_MS;
  if (seconds < MIN_STRETCH_SECONDS || seconds > MAX_STRETCH_SECONDS) {
    throw invalidArgument(
      `stretchSeconds must be from ${MIN_STRETCH_SECONDS} to ${MAX_STRETCH_SECONDS}, not ${seconds}`,
    );
  }
  if (shift < 0 || shift >= stretchMs) throw invalidArgument(`shift must be from 0 to ${stretchMs - 1}, not ${shift}`);
  checkBounds("fromTimestamp", from, "toTimestamp", to);
  const stretches = Math.ceil((to - from) / stretchMs);
  if (stretches > MAX_STRETCHES) {
    throw invalidArgument(`the span must not have more than ${MAX_STRETCHES} stretches, not ${stretches}`);
  }
}

const IncomeType = builder.objectRef<Income>("Income").implement({
  description: "What an account got for harvesting in a stretch of time.",
  fields: (t) => ({
    timestamp: t.expose("timestamp", {
      type: "SafeInt",
      description: "Where it begins, in milliseconds since the network's epoch adjustment.",
    }),
    blocks: t.expose("blocks", { type: "SafeInt", description: "Blocks that brought something." }),
    amount: t.expose("amount", {
      type: "UInt64",
      description: "Atomic units of the currency: its share of fees and of what is made anew.",
    }),
  }),
});

const stretchArguments = builder.args((t) => ({
  stretchSeconds: t.int({ required: true, description: "Length of a stretch: 3600 for hours, 86400 for days." }),
  fromTimestamp: t.field({
    type: "SafeInt",
    description: `Included, in milliseconds since the epoch adjustment; by default ${DEFAULT_STRETCHES} stretches before the end.`,
  }),
  toTimestamp: t.field({ type: "SafeInt", description: "Not included; by default right behind the newest block." }),
  shift: t.field({
    type: "SafeInt",
    description: "Milliseconds after the epoch adjustment at which a stretch begins; 0 by default.",
  }),
}));

interface StretchArguments {
  readonly stretchSeconds: number;
  readonly fromTimestamp?: number | null | undefined;
  readonly toTimestamp?: number | null | undefined;
  readonly shift?: number | null | undefined;
}

/** @throws ApiError InvalidArgument naming what is out of range */
async function stretchesOf(db: Db, args: StretchArguments): Promise<ActivityRequest> {
  const { shift = 0, ...span } = given(args);
  const stretchMs = args.stretchSeconds * SECOND_MS;
  const toTimestamp = span.toTimestamp ?? ((await newestTimestamp(db)) ?? 0) + 1;
  const fromTimestamp = span.fromTimestamp ?? Math.max(0, toTimestamp - DEFAULT_STRETCHES * stretchMs);
  checkStretches(stretchMs, fromTimestamp, toTimestamp, shift);
  return { fromTimestamp, toTimestamp, stretchMs, shiftMs: shift };
}

interface FinalizationLag {
  readonly height: number;
  readonly finalizedHeight: number;
  readonly seconds: number;
}

const FinalizationLagType = builder.objectRef<FinalizationLag>("FinalizationLag").implement({
  description: "How far finalization is behind the newest block.",
  fields: (t) => ({
    height: t.expose("height", { description: "Of the newest block.", type: "SafeInt" }),
    finalizedHeight: t.expose("finalizedHeight", { type: "SafeInt", description: "0 while nothing is finalized." }),
    blocks: t.field({
      description: "Blocks that may still be rolled back.",
      type: "SafeInt",
      resolve: ({ height, finalizedHeight }) => height - finalizedHeight,
    }),
    seconds: t.expose("seconds", { type: "SafeInt", description: "Between both blocks." }),
  }),
});

builder.queryFields((t) => ({
  activity: t.field({
    type: [ActivityType],
    extensions: costs({ ...heavy.cost, entries: DEFAULT_STRETCHES }),
    description:
      "Blocks, transactions and fees by stretches of time, in ascending order; those without a block are left out.",
    args: stretchArguments,
    resolve: async (_root, args, { db }) => readActivity(db, await stretchesOf(db, args)),
  }),
  harvestIncome: t.field({
    type: [IncomeType],
    extensions: costs({ ...heavy.cost, entries: DEFAULT_STRETCHES }),
    description:
      "What an account got for harvesting by stretches of time, in ascending order; those without any are left out.",
    args: {
      address: t.arg({
        description: "The beneficiary, or whom the network pays from each block.",
        type: "Address",
        required: true,
      }),
      ...stretchArguments,
    },
    resolve: async (_root, { address, ...args }, { db }) => readIncome(db, address, await stretchesOf(db, args)),
  }),
  finalizationLag: t.field({
    type: FinalizationLagType,
    resolve: async (_root, _args, { db }) => {
      const { height, finalizedHeight, timestamp } = await readIndexPoint(db);
      const finalized = await findBlockRow(db, finalizedHeight);
      const seconds = Math.round((timestamp - (finalized?.timestamp ?? 0)) / SECOND_MS);
      return { height, finalizedHeight, seconds };
    },
    description: "How far finalization is behind the newest block.",
  }),
  transactionTypes: t.field({
    type: [TypeCountType],
    extensions: heavy,
    description: "How many transactions of each type there are, the most frequent first.",
    args: {
      fromHeight: t.arg({ type: "SafeInt", description: "At this height or above." }),
      toHeight: t.arg({ type: "SafeInt", description: "At this height or below." }),
      embedded: t.arg.boolean({ description: "With those inside aggregates; by default without." }),
    },
    resolve: (_root, args, { db }) => {
      const { embedded, ...span } = given(args);
      checkBounds("fromHeight", span.fromHeight, "toHeight", span.toHeight);
      return countTypes(db, span, embedded ?? false);
    },
  }),
}));
