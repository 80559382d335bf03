import { encodeEntityId, MAX_HEIGHT } from "../../catapult/json/entity-id.js";
import type { IdRange } from "./list.js";

/** Heights of a search: one height, or an inclusive range. All given conditions must match. */
export interface HeightFilter {
  readonly height?: number | undefined;
  readonly fromHeight?: number | undefined;
  readonly toHeight?: number | undefined;
}

/** Ids begin with the height, so a range of heights is a range of ids. Empty if the conditions exclude each other. */
export function idsOfHeights({ height, fromHeight, toHeight }: HeightFilter): IdRange {
  const from = Math.max(fromHeight ?? 0, height ?? 0);
  const to = Math.min(toHeight ?? MAX_HEIGHT, height ?? MAX_HEIGHT);
  return {
    from: height === undefined && fromHeight === undefined ? undefined : encodeEntityId(Math.min(from, MAX_HEIGHT)),
    to:
      height === undefined && toHeight === undefined
        ? undefined
        : encodeEntityId(Math.min(to, MAX_HEIGHT), 2 ** 32 - 1, 2 ** 24 - 1),
  };
}
