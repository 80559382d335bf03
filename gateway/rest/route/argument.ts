import type { ArgumentType } from "./argument-types.js";

/** Position of an argument in a request. */
export type ArgumentLocation = "path" | "query" | "header" | "body";

/** An argument of a route; `Value` is the parsed value, including undefined if it is optional. */
export interface Argument<Value> {
  readonly location: ArgumentLocation;
  readonly required: boolean;
  /** Whether it is a list: in a query a repeated parameter, in a body an array. */
  readonly list: boolean;
  /** Of the value, or of each entry of a list. */
  readonly type: ArgumentType<unknown>;
  readonly description: string;
  /** Maximum number of entries of a list. */
  readonly maxItems?: number | undefined;
  /** Whether catapult-rest does not have it: where it ignores unknown parameters, so is this one. */
  readonly isAdded?: boolean;
  /** Never present: carries the type. */
  readonly value?: Value;
}

/** Arguments by name. */
export type Arguments = { readonly [name: string]: Argument<unknown> };

/** Parsed values of the arguments. */
export type Values<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends Argument<infer Value> ? Value : never;
};

/** A path parameter. */
export function path<Value>(type: ArgumentType<Value>, description: string): Argument<Value> {
  return { location: "path", required: true, list: false, type, description };
}

/** An optional query parameter that may be given once. */
export function query<Value>(type: ArgumentType<Value>, description: string): Argument<Value | undefined> {
  return { location: "query", required: false, list: false, type, description };
}

/** An optional query parameter that catapult-rest does not have, on a path that it has. */
export function addedQuery<Value>(type: ArgumentType<Value>, description: string): Argument<Value | undefined> {
  return { ...query(type, description), isAdded: true };
}

/** An optional header. */
export function header<Value>(type: ArgumentType<Value>, description: string): Argument<Value | undefined> {
  return { location: "header", required: false, list: false, type, description };
}

/** An optional query parameter that may be repeated. */
export function queryList<Value>(
  type: ArgumentType<Value>,
  description: string,
  maxItems: number,
): Argument<readonly Value[] | undefined> {
  return { location: "query", required: false, list: true, type, description, maxItems };
}

/** A member of the JSON body with a string, an integer or a boolean. */
export function bodyText<Value>(type: ArgumentType<Value>, description: string): Argument<Value> {
  return { location: "body", required: true, list: false, type, description };
}

/** The same, but optional. */
export function optionalBody<Value>(type: ArgumentType<Value>, description: string): Argument<Value | undefined> {
  return { location: "body", required: false, list: false, type, description };
}

/** A member of the JSON body with a list of strings, which may be empty. */
export function bodyList<Value>(
  type: ArgumentType<Value>,
  description: string,
  maxItems: number,
): Argument<readonly Value[]> {
  return { location: "body", required: true, list: true, type, description, maxItems };
}

/** The same, but optional. */
export function optionalBodyList<Value>(
  type: ArgumentType<Value>,
  description: string,
  maxItems: number,
): Argument<readonly Value[] | undefined> {
  return { location: "body", required: false, list: true, type, description, maxItems };
}
