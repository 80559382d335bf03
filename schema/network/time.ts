import { MAX_HEIGHT } from "../../catapult/json/entity-id.js";
import type { HeightFilter } from "../../database/lists/page.js";
import { heightsAtTimes } from "../../database/queries/blocks.js";
import { readEpochAdjustment } from "../../database/queries/network.js";
import { invalidArgument } from "../errors/errors.js";
import { given, isLimitedToTimes, type Times } from "../graph/arguments.js";
import { type Context, onceFor } from "../graph/context.js";
import type { Builder } from "../graph/members.js";
import { resourcesOf } from "./resources.js";

/**
 * When the network's time begins, Unix ms: as an indexer has stored it, otherwise of the network's configuration.
 * @throws ApiError ServiceUnavailable when neither is known
 */
export const epochOf: (context: Context) => Promise<number> = onceFor(async (context) => {
  const stored = await readEpochAdjustment(context.db);
  return stored ?? (await resourcesOf(context).network()).section("network").milliseconds("epochAdjustment");
});

/** A timestamp (ms since the epoch adjustment) in ISO 8601. @throws ApiError like {@link epochOf} */
export async function timeOf(context: Context, timestamp: number): Promise<string> {
  return new Date((await epochOf(context)) + timestamp).toISOString();
}

/** A field with the time at a timestamp of its source. */
export function timeField<Source>(t: Builder<Source>, description: string, timestampOf: (source: Source) => number) {
  return t.field({
    type: "Time",
    description,
    resolve: (source: unknown, _args: object, context: Context) => timeOf(context, timestampOf(source as Source)),
  });
}

/** The last time that ISO 8601 has, Unix ms. */
const LAST_TIME = Date.UTC(9999, 11, 31);

/** A field with the deadline of its source, of any 64 bits. */
export function deadlineField<Source>(t: Builder<Source>, deadlineOf: (source: Source) => unknown) {
  return t.field({
    type: "Time",
    nullable: true,
    description: "Deadline; null for an embedded transaction, and after the year 9998.",
    resolve: async (source: unknown, _args: object, context: Context) => {
      const timestamp = Number(deadlineOf(source as Source) ?? Number.NaN);
      return (await epochOf(context)) + timestamp < LAST_TIME ? timeOf(context, timestamp) : null;
    },
  });
}

/**
 * The same times as timestamps of the network.
 * @throws ApiError InvalidArgument when they are reversed, or like {@link epochOf}
 */
export async function readTimestamps(context: Context, times: Times) {
  const { fromTime, toTime } = given(times);
  if (fromTime !== undefined && toTime !== undefined && fromTime > toTime) {
    const [from, to] = [fromTime, toTime].map((time) => new Date(time).toISOString());
    throw invalidArgument(`fromTime (${from}) must not be above toTime (${to})`);
  }
  if (!isLimitedToTimes(times)) return {};
  const epoch = await epochOf(context);
  const toTimestamp = (time: number | undefined) => (time === undefined ? undefined : Math.max(0, time - epoch));
  return { from: toTimestamp(fromTime), before: toTimestamp(toTime) };
}

/** The first and last block between two times. @throws ApiError like {@link readTimestamps} */
export async function heightsBetween(context: Context, times: Times) {
  const { from = 0, before = Number.MAX_SAFE_INTEGER } = await readTimestamps(context, times);
  return heightsAtTimes(context.db, from, before);
}

/** A filter that is limited to the heights of blocks between two times. @throws ApiError like {@link readTimestamps} */
export async function limitedToTimes<Filter extends HeightFilter>(
  context: Context,
  filter: Filter,
  times: Times,
): Promise<Filter> {
  if (!isLimitedToTimes(times)) return filter;
  const { first, last } = await heightsBetween(context, times);
  if (first === undefined || last === undefined) return { ...filter, fromHeight: MAX_HEIGHT, toHeight: 0 };
  return {
    ...filter,
    fromHeight: Math.max(first, filter.fromHeight ?? 0),
    toHeight: Math.min(last, filter.toHeight ?? MAX_HEIGHT),
  };
}
