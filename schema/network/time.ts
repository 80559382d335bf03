import { MAX_HEIGHT } from "../../catapult/json/entity-id.js";
import type { HeightFilter } from "../../database/lists/page.js";
import { heightsAtTimes } from "../../database/queries/blocks.js";
import { readEpochAdjustment } from "../../database/queries/network.js";
import { checkBounds, given, isLimitedToTimes, type Times } from "../graph/arguments.js";
import { type Context, onceFor } from "../graph/context.js";
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

/**
 * The same times as timestamps of the network.
 * @throws ApiError InvalidArgument when they are reversed, or like {@link epochOf}
 */
export async function timestampsOf(context: Context, times: Times) {
  const { fromTime, toTime } = given(times);
  checkBounds("fromTime", fromTime, "toTime", toTime);
  if (!isLimitedToTimes(times)) return {};
  const epoch = await epochOf(context);
  const timestampOf = (time: number | undefined) => (time === undefined ? undefined : Math.max(0, time - epoch));
  return { from: timestampOf(fromTime), before: timestampOf(toTime) };
}

/** The first and last block between two times. @throws ApiError like {@link timestampsOf} */
export async function heightsBetween(context: Context, times: Times) {
  const { from = 0, before = Number.MAX_SAFE_INTEGER } = await timestampsOf(context, times);
  return heightsAtTimes(context.db, from, before);
}

/** A filter that is limited to the heights of blocks between two times. @throws ApiError like {@link timestampsOf} */
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
