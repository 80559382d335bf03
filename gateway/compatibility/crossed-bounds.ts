import { MAX_HEIGHT } from "../../catapult/json/entity-id.js";

type Values = Record<string, unknown>;

/** Pairs of bounds, and a value above all values that they can bound. */
const BOUNDS = [
  ["fromHeight", "toHeight", MAX_HEIGHT],
  ["fromTimestamp", "toTimestamp", Number.MAX_SAFE_INTEGER],
  ["fromTransferAmount", "toTransferAmount", 2n ** 64n - 1n],
] as const;

/**
 * Search values as interpreted by catapult-rest: `height` overrides the bounds of heights, and a lower bound above
 * its upper bound matches nothing; the schema rejects both.
 */
export function withoutCrossedBounds(values: Values): Values {
  const bounded = { ...values };
  if (values.height !== undefined && "fromHeight" in values) {
    bounded.fromHeight = undefined;
    bounded.toHeight = undefined;
  }
  for (const [from, to, nothing] of BOUNDS) {
    const [lower, upper] = [bounded[from], bounded[to]] as [bigint | undefined, bigint | undefined];
    if (lower === undefined || upper === undefined || lower <= upper) continue;
    bounded[from] = nothing;
    bounded[to] = nothing;
  }
  return bounded;
}
