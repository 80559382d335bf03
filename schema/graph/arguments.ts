import type { HeightFilter } from "../../database/lists/page.js";
import { invalidArgument } from "../errors/errors.js";
import { builder } from "./builder.js";

/** Optional arguments of GraphQL are null, undefined or an empty list; filters use only undefined. */
type Given<Arguments> = { [Name in keyof Arguments]: Exclude<Arguments[Name], null> | undefined };

/** The same arguments with undefined in place of null and of empty lists. */
export function given<Arguments extends object>(args: Arguments): Given<Arguments> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, isEmpty(value) ? undefined : value]),
  ) as Given<Arguments>;
}

/** A value that a request may leave out: absent, null and empty mean the same in every interface. */
export function optional<Value>(value: Value): Exclude<Value, null | ""> | undefined {
  return value === null || value === "" ? undefined : (value as Exclude<Value, null | "">);
}

/** Whether a list that a request may leave out is left out. */
function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/**
 * Arguments that are all in a filter. An argument that the filter does not have would be ignored; as a parameter of type
 * `Arguments & ArgumentsOf<Arguments, Filter>` it is a compile error.
 */
export type ArgumentsOf<Arguments, Filter> = {
  readonly [Name in keyof Arguments]: Name extends keyof Filter ? Filter[Name] | null : never;
};

/** Arguments that limit a list to a range of heights. */
export const spanArguments = builder.args((t) => ({
  fromHeight: t.field({ type: "SafeInt", description: "Minimum height, inclusive." }),
  toHeight: t.field({ type: "SafeInt", description: "Maximum height, inclusive." }),
}));

/** Arguments that limit a list to heights. */
export const heightArguments = {
  ...builder.args((t) => ({ height: t.field({ type: "SafeInt", description: "Exact height." }) })),
  ...spanArguments,
};

/** Arguments that limit a list to times. */
export const timeArguments = builder.args((t) => ({
  fromTime: t.field({
    type: "Time",
    description: "In blocks at this time or later: a date or time of ISO 8601, in UTC unless it names a zone.",
  }),
  toTime: t.field({ type: "Time", description: "In blocks before this time." }),
}));

/** Their values, in ms since 1970. */
export interface Times {
  readonly fromTime?: number | null | undefined;
  readonly toTime?: number | null | undefined;
}

/** Whether a list is limited to times: most are not, and need not know when the network's time begins. */
export function isLimitedToTimes({ fromTime, toTime }: Times): boolean {
  return fromTime != null || toTime != null;
}

/** @throws ApiError InvalidArgument when no height can match the filter */
export function checkHeights({ height, fromHeight, toHeight }: HeightFilter): void {
  checkBounds("fromHeight", fromHeight, "toHeight", toHeight);
  checkBounds("fromHeight", fromHeight, "height", height);
  checkBounds("height", height, "toHeight", toHeight);
}

/** @throws ApiError InvalidArgument when both bounds are given and the lower one is above the upper one */
export function checkBounds<Value extends number | bigint>(
  lowerName: string,
  lower: Value | null | undefined,
  upperName: string,
  upper: Value | null | undefined,
): void {
  if (lower != null && upper != null && lower > upper) {
    throw invalidArgument(`${lowerName} (${lower}) must not be above ${upperName} (${upper})`);
  }
}

const MAX_UINT16 = 0xffff;
/** Maximum number of types in one search. */
export const MAX_TYPES = 32;

/**
 * Checks a list of transaction or receipt types.
 * @throws ApiError InvalidArgument when it is too long, or contains an invalid type
 */
export function checkTypes(name: string, types: readonly number[] | null | undefined): void {
  if (!types) return;
  if (types.length > MAX_TYPES)
    throw invalidArgument(`${name} must not have more than ${MAX_TYPES} types, not ${types.length}`);
  const wrong = types.find((type) => type < 0 || type > MAX_UINT16);
  if (wrong !== undefined) throw invalidArgument(`${name} must be from 0 to ${MAX_UINT16}, not ${wrong}`);
}
