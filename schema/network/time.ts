import type { Context } from "../graph/context.js";
import { resourcesOf } from "./resources.js";

/** When the network's time begins, Unix ms. @throws ApiError ServiceUnavailable when the network's configuration is unknown */
export async function epochOf(context: Context): Promise<number> {
  return (await resourcesOf(context).network()).section("network").milliseconds("epochAdjustment");
}

/** A timestamp (ms since the epoch adjustment) in ISO 8601. @throws ApiError like {@link epochOf} */
export async function timeOf(context: Context, timestamp: number): Promise<string> {
  return new Date((await epochOf(context)) + timestamp).toISOString();
}
