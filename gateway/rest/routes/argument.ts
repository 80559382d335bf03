import type { ArgumentType } from "./argument-types.js";

/** Where an argument stands. */
export type Place = "path" | "query" | "body";

/** An argument of a route; `Value` is what the route gets, undefined included where it may be left out. */
export interface Argument<Value> {
  readonly place: Place;
  readonly required: boolean;
  /** Whether it is a list: in a query given several times, in a body an array. */
  readonly list: boolean;
  /** Of the value, or of each in a list. */
  readonly type: ArgumentType<unknown>;
  readonly description: string;
  /** Entries that a list may have. */
  readonly maxItems?: number | undefined;
  /** Never there: it carries the type. */
  readonly value?: Value;
}

/** Arguments by name. */
export type Arguments = { readonly [name: string]: Argument<unknown> };

/** What a route gets. */
export type Values<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends Argument<infer Value> ? Value : never;
};

/** A part of the path. */
export function path<Value>(type: ArgumentType<Value>, description: string): Argument<Value> {
  return { place: "path", required: true, list: false, type, description };
}

/** A query parameter that may be left out, and may be given once. */
export function query<Value>(type: ArgumentType<Value>, description: string): Argument<Value | undefined> {
  return { place: "query", required: false, list: false, type, description };
}

/** A query parameter that may be left out, and may be given several times. */
export function queryList<Value>(
  type: ArgumentType<Value>,
  description: string,
  maxItems: number,
): Argument<readonly Value[] | undefined> {
  return { place: "query", required: false, list: true, type, description, maxItems };
}

/** A member of the JSON body that holds a text, or a whole number. */
export function bodyText<Value>(type: ArgumentType<Value>, description: string): Argument<Value> {
  return { place: "body", required: true, list: false, type, description };
}

/** A member of the JSON body that holds a list of texts, which may be empty. */
export function bodyList<Value>(
  type: ArgumentType<Value>,
  description: string,
  maxItems: number,
): Argument<readonly Value[]> {
  return { place: "body", required: true, list: true, type, description, maxItems };
}

/** The same, where it may be left out. */
export function optionalBodyList<Value>(
  type: ArgumentType<Value>,
  description: string,
  maxItems: number,
): Argument<readonly Value[] | undefined> {
  return { place: "body", required: false, list: true, type, description, maxItems };
}
