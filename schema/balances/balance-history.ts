import { encodeAddress } from "../../catapult/entity/address.js";
import {
  type BalanceStep,
  type Holding,
  isBalanceHistoryWhole,
  MAX_ADDED_CHANGES,
  type PastHolder,
  readBalanceSteps,
  readPastHolders,
  readTopHolders,
} from "../../database/balances/balance-changes.js";
import type { Db } from "../../database/database.js";
import { type ActivityRequest, readChangesByInterval } from "../../database/queries/activity.js";
import { intervalArguments, readIntervalArguments } from "../chain/activity.js";
import { invalidArgument, serviceUnavailable } from "../errors/errors.js";
import { accountOf } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { type CursorArguments, connectionType, cursorArguments, readConnection } from "../graph/connection.js";
import type { Context } from "../graph/context.js";
import { parseAddress } from "../graph/formats.js";
import { accountField, loadersOf } from "../graph/loaders.js";
import { members } from "../graph/members.js";
import { addressIn } from "../graph/state.js";
import { Account } from "../graph/types.js";
import { heightsBetween, timeField } from "../network/time.js";

const MAX_TOP_HOLDERS = 100;

const Step = builder.objectRef<BalanceStep>("BalanceStep").implement({
  description: "A block that moved an account's balance of a mosaic.",
  fields: (t) => ({
    ...members(t, {
      height: ["SafeInt", "Height of the block."],
      timestamp: ["SafeInt", "Timestamp of the block, in milliseconds since the network's epoch adjustment."],
      amount: ["UInt64", "Balance after the block, atomic units."],
    }),
    time: timeField(t, "Time of the block.", ({ timestamp }) => timestamp),
    change: t.string({
      description:
        "Change of the balance: signed atomic units, as text; 0 if the movements of the block cancel each other.",
      resolve: ({ change }) => String(change),
    }),
  }),
});

const PastHolderType = builder.objectRef<PastHolder>("PastHolder").implement({
  description: "Balance of an account at a height.",
  fields: (t) => ({
    ...members(t, {
      address: ["Address", "Address of the account."],
      amount: ["UInt64", "Balance in atomic units; never 0."],
    }),
    account: accountField(t, "Current state of the account.", ({ address }) => address),
  }),
});

const BalanceHistory = connectionType("BalanceHistory", {
  description: "Steps of a balance, the newest first.",
  entry: Step,
  entries: "Steps of the page.",
  pageInfo: "Whether there are older steps, and from which cursor.",
  cursorOf: ({ height }) => String(height),
});

const PastHolders = connectionType("PastHolders", {
  description: "Holders of a mosaic at a height, in the order in which the chain first names them.",
  entry: PastHolderType,
  entries: "Holders of the page.",
  pageInfo: "Whether there are more holders, and from which cursor.",
  cursorOf: ({ address }) => encodeAddress(address),
});

const heightArgument = builder.args((t) => ({
  height: t.field({
    type: "SafeInt",
    required: true,
    description: "Height of the block after which balances are computed.",
  }),
}));

/** Arguments that name a block of the past. */
const pointArguments = builder.args((t) => ({
  height: t.field({ type: "SafeInt", description: "Height of the block after which balances are computed." }),
  time: t.field({ type: "Time", description: "In place of a height: the last block at this time or before." }),
}));

interface Point {
  readonly height?: number | null | undefined;
  readonly time?: number | null | undefined;
}

/** @throws ApiError InvalidArgument unless one of both is given, and for a time before the first block */
async function heightOfPoint(context: Context, { height, time }: Point): Promise<number> {
  if ((height == null) === (time == null)) throw invalidArgument("either height or time is required");
  if (time == null) return height as number;
  const { last } = await heightsBetween(context, { toTime: time + 1 });
  if (last === undefined)
    throw invalidArgument(`time must not be before the first block: ${new Date(time).toISOString()}`);
  return last;
}

/** The height in a cursor, or undefined. */
const parseHeight = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

/**
 * The database, for reading balances of the past.
 * @throws ApiError ServiceUnavailable until the history is complete, InvalidArgument for a height that is not indexed
 */
export async function historyDb(context: Context, height?: number): Promise<Db> {
  const { db } = context;
  if (!(await isBalanceHistoryWhole(db))) {
    throw serviceUnavailable("the balance history is not complete yet: try again");
  }
  if (height === undefined) return db;
  const head = await loadersOf(context).indexPoint();
  if (height > head.height)
    throw invalidArgument(`height must be at most ${head.height}, the chain's height, not ${height}`);
  return db;
}

/** Balance of an account at a height, atomic units. */
async function balanceAtHeight(context: Context, holding: Holding, height: number): Promise<bigint> {
  await historyDb(context, height);
  return loadersOf(context).balanceAt.load({ ...holding, height });
}

/** Steps of a balance, with cursors. */
async function balanceHistory(context: Context, holding: Holding, list: CursorArguments) {
  const db = await historyDb(context);
  return readConnection(list, parseHeight, (first, before) => readBalanceSteps(db, holding, { first, before }));
}

builder.queryFields((t) => ({
  balanceAt: t.field({
    type: "UInt64",
    description: "Balance of an account at a height, atomic units; 0 if it had none, or did not exist.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...heightArgument,
    },
    resolve: (_root, { height, ...holding }, context) => balanceAtHeight(context, holding, height),
  }),
  balanceHistory: t.field({
    type: BalanceHistory,
    description: "Every block that moved an account's balance of a mosaic, the newest first.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...cursorArguments,
    },
    resolve: (_root, { address, mosaicId, ...list }, context) => balanceHistory(context, { address, mosaicId }, list),
  }),
  holdersAt: t.field({
    type: PastHolders,
    description: "Holders of a mosaic at a height or time. Amounts held by locks are not included.",
    args: {
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...pointArguments,
      ...cursorArguments,
    },
    resolve: async (_root, { mosaicId, height: given, time, ...list }, context) => {
      const height = await heightOfPoint(context, { height: given, time });
      const db = await historyDb(context, height);
      return readConnection(list, parseAddress, (first, after) =>
        readPastHolders(db, { mosaicId, height }, { first, after }),
      );
    },
  }),
  topHoldersAt: t.field({
    type: [PastHolderType],
    description:
      `The ${MAX_TOP_HOLDERS} accounts that held most of a mosaic at a height or time, the richest first, like holdersAt. Up to the ` +
      `height, there may be at most ${MAX_ADDED_CHANGES} changes of the mosaic's balances.`,
    args: {
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...pointArguments,
    },
    resolve: async (_root, { mosaicId, ...point }, context) => {
      const height = await heightOfPoint(context, point);
      const db = await historyDb(context, height);
      const found = await readTopHolders(db, { mosaicId, height }, MAX_TOP_HOLDERS);
      if (found) return found;
      throw invalidArgument(`there are more than ${MAX_ADDED_CHANGES} changes of the mosaic's balances: use holdersAt`);
    },
  }),
}));

builder.objectFields(Account, (t) => ({
  balanceAt: t.field({
    type: "UInt64",
    description: "Balance of a mosaic after the block at a height, atomic units.",
    args: {
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...heightArgument,
    },
    resolve: (entry, { mosaicId, height }, context) =>
      balanceAtHeight(context, { address: addressIn(accountOf(entry).address), mosaicId }, height),
  }),
  balanceHistory: t.field({
    type: BalanceHistory,
    description: "Every block that moved the account's balance of a mosaic, the newest first.",
    args: {
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...cursorArguments,
    },
    resolve: (entry, { mosaicId, ...list }, context) =>
      balanceHistory(context, { address: addressIn(accountOf(entry).address), mosaicId }, list),
  }),
}));

/** A balance at the end of a time interval. */
interface BalanceInterval {
  /** Start of the interval, in ms since the epoch adjustment. */
  readonly timestamp: number;
  /** Atomic units. */
  readonly change: bigint;
  readonly amount: bigint;
}

const Interval = builder.objectRef<BalanceInterval>("BalanceInterval").implement({
  description: "An account's balance of a mosaic at the end of a time interval.",
  fields: (t) => ({
    time: timeField(t, "Start of the interval.", ({ timestamp }) => timestamp),
    change: t.string({
      description: "Change of the balance in the interval: signed atomic units, as text.",
      resolve: ({ change }) => String(change),
    }),
    amount: t.expose("amount", { type: "UInt64", description: "Balance at the end of the interval, atomic units." }),
  }),
});

builder.queryField("balanceSeries", (t) =>
  t.field({
    type: [Interval],
    description: "An account's balance of a mosaic at the end of each time interval, in ascending order.",
    args: {
      address: t.arg({ description: "Address of the account.", type: "Address", required: true }),
      mosaicId: t.arg({ description: "Id of the mosaic.", type: "ArtifactId", required: true }),
      ...intervalArguments,
    },
    resolve: async (_root, { address, mosaicId, ...args }, context) => {
      const db = await historyDb(context);
      const holding = { address, mosaicId };
      const request = await readIntervalArguments(context, args);
      const { before, changes } = await readChangesByInterval(db, holding, request);
      return makeSeries(request, before, changes);
    },
  }),
);

/** Every interval of the span, also those without a change; none of an empty span. */
function makeSeries(
  { fromTimestamp, toTimestamp, intervalMs, shiftMs }: ActivityRequest,
  before: bigint,
  changes: ReadonlyMap<number, bigint>,
): BalanceInterval[] {
  const series: BalanceInterval[] = [];
  if (fromTimestamp >= toTimestamp) return series;
  let amount = before;
  const first = Math.floor((fromTimestamp - shiftMs) / intervalMs) * intervalMs + shiftMs;
  for (let timestamp = first; timestamp < toTimestamp; timestamp += intervalMs) {
    const change = changes.get(timestamp) ?? 0n;
    amount += change;
    series.push({ timestamp, change, amount });
  }
  return series;
}
