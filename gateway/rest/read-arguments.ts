import type { IncomingHttpHeaders } from "node:http";
import { ApiError, invalidArgument, invalidContent } from "../../schema/errors/errors.js";
import { optional } from "../../schema/graph/arguments.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import { withoutCrossedBounds } from "../compatibility/crossed-bounds.js";
import { nearestName } from "./nearest-name.js";
import type { Argument, Arguments } from "./route/argument.js";
import { boolean } from "./route/argument-types.js";
import type { Route, RouteWork } from "./route/route.js";

/** The raw parts of a request. */
export interface RawArguments {
  readonly path: { readonly [name: string]: string };
  /** The part after the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body, undefined if there is none. */
  readonly body: unknown;
}

type OperationWork = Extract<RouteWork, { operation: string }>;

/** Parses a request into the variables of a route's operation. @throws ApiError in the wording of the mode */
export function readRequest(
  route: Route,
  work: Pick<OperationWork, "referenceCheck" | "variables">,
  raw: RawArguments,
  behaviour: Behaviour,
) {
  try {
    const given = readArguments(route.arguments, raw, behaviour);
    const problem = behaviour.usesReferenceMessages ? work.referenceCheck?.(given) : undefined;
    if (problem !== undefined) throw invalidArgument(problem);
    const values = behaviour.findsNothingBetweenCrossedBounds ? withoutCrossedBounds(given) : given;
    return { values, variables: work.variables(values, behaviour) };
  } catch (error) {
    throw behaviour.malformedIsUnacceptable ? toReferenceError(error, route.arguments, raw) : error;
  }
}

/** The part of a URL after its question mark. */
export function sliceQuery(url: string): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}

/**
 * The values of a route's arguments by name. Unknown members of the body are ignored. An empty query parameter counts as
 * absent: symbol-sdk 2 sends `type=` for an empty list.
 * @throws ApiError InvalidContent or InvalidArgument naming the first invalid argument
 */
export function readArguments(args: Arguments, raw: RawArguments, behaviour: Behaviour): Record<string, unknown> {
  const query = raw.query === "" ? undefined : new URLSearchParams(raw.query);
  const values: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(args)) {
    if (!isIn(behaviour, argument)) continue;
    if (argument.location === "path") values[name] = readText(name, raw.path[name] ?? "", argument, behaviour);
    else if (argument.location === "query")
      values[name] = readQuery(name, query?.getAll(name) ?? [], argument, behaviour);
    else if (argument.location === "header") values[name] = readHeader(name, raw.headers, argument, behaviour);
    else if (argument.list) values[name] = readBodyList(name, raw.body, argument, behaviour);
    else values[name] = readBodyText(name, raw.body, argument, behaviour);
  }
  if (query && !behaviour.ignoresUnknownParameters) rejectUnknown(query, args);
  return values;
}

/** Whether a mode has an argument. */
export function isIn({ ignoresUnknownParameters }: Behaviour, { isAdded }: Argument<unknown>): boolean {
  return !(isAdded && ignoresUnknownParameters);
}

/** Longest name of a parameter that is repeated in an error, in characters. */
const QUOTED_LENGTH = 64;

/** @throws ApiError for a parameter that the route has not: a typing error would widen a search */
function rejectUnknown(query: URLSearchParams, args: Arguments): void {
  for (const [name, text] of query) {
    if (text === "" || (Object.hasOwn(args, name) && args[name]?.location === "query")) continue;
    const known = Object.keys(args).filter((one) => args[one]?.location === "query");
    const given = name.slice(0, QUOTED_LENGTH);
    const nearest = nearestName(given, known);
    const hint =
      nearest !== undefined
        ? `did you mean ${nearest}?`
        : known.length > 0
          ? `the parameters are ${known.join(", ")}`
          : "this path has none";
    throw invalidArgument(`there is no parameter ${JSON.stringify(given)} here: ${hint}`);
  }
}

function readText(name: string, text: string, { type }: Argument<unknown>, behaviour: Behaviour): unknown {
  return type.lenient?.(text, behaviour) ?? type.parse(name, text);
}

function readQuery(name: string, given: readonly string[], argument: Argument<unknown>, behaviour: Behaviour): unknown {
  const texts = given.filter((text) => optional(text) !== undefined);
  const [first] = texts;
  if (first === undefined) return undefined;
  if (argument.list) {
    checkLength(name, texts.length, argument);
    return texts.map((text) => readText(name, text, argument, behaviour));
  }
  if (texts.length > 1) throw invalidArgument(`${name} must be given once, not ${texts.length} times`, name);
  return readText(name, first, argument, behaviour);
}

function readHeader(
  name: string,
  headers: IncomingHttpHeaders,
  argument: Argument<unknown>,
  behaviour: Behaviour,
): unknown {
  const text = optional(headers[name.toLowerCase()]);
  return text === undefined ? undefined : readText(name, String(text), argument, behaviour);
}

function readBodyList(name: string, body: unknown, argument: Argument<unknown>, behaviour: Behaviour): unknown {
  const member = readMember(name, body, argument);
  if (member === undefined) return undefined;
  const list = behaviour.takesTextForList && typeof member === "string" ? [member] : member;
  if (!Array.isArray(list)) throw invalidContent(name, "an array of strings");
  checkLength(name, list.length, argument);
  return list.map((item: unknown, index) => {
    const itemName = `${name}[${index}]`;
    if (typeof item !== "string") throw invalidContent(itemName, "a string");
    return readText(itemName, item, argument, behaviour);
  });
}

function readBodyText(name: string, body: unknown, argument: Argument<unknown>, behaviour: Behaviour): unknown {
  const member = readMember(name, body, argument);
  if (member === undefined) return undefined;
  const isBoolean = typeof member === "boolean" && argument.type === boolean;
  if (typeof member !== "string" && !Number.isSafeInteger(member) && !isBoolean) throw invalidContent(name, "a string");
  return readText(name, String(member), argument, behaviour);
}

/**
 * A member of the body; undefined if it is optional and absent.
 * @throws ApiError InvalidContent for a body that is not an object, InvalidArgument if this member is missing
 */
function readMember(name: string, body: unknown, { required }: Argument<unknown>): unknown {
  // Without a body nothing has a wrong type, but required members are missing.
  const members = body === undefined ? {} : body;
  if (typeof members !== "object" || members === null || Array.isArray(members)) {
    throw invalidContent("the body", `a JSON object with the member ${name}`);
  }
  const member: unknown = Object.hasOwn(members, name) ? (members as Record<string, unknown>)[name] : undefined;
  if (!required) return optional(member);
  if (member === undefined || member === null) throw invalidArgument(`${name} is missing in the body`, name);
  return member;
}

function checkLength(name: string, length: number, { maxItems }: Argument<unknown>): void {
  if (maxItems !== undefined && length > maxItems) {
    throw invalidArgument(`${name} must not have more than ${maxItems} entries, not ${length}`);
  }
}

/*
 * How catapult-rest 2.5.0 words its errors. Source: `client/rest/src/routes` and `client/rest/src/server` of
 * symbol/symbol.
 */

const hasInvalidFormat = (name: string) => `${name} has an invalid format`;

function textOf(name: string, { path, query }: RawArguments): string {
  return path[name] ?? new URLSearchParams(query).getAll(name).join();
}

/** An error about an argument as catapult-rest reports it; any other error unchanged. */
export function toReferenceError(error: unknown, args: Arguments, raw: RawArguments): unknown {
  if (!(error instanceof ApiError) || error.argument === undefined) return error;
  const name = error.argument.replace(/\[\d+\]$/, "");
  const argument = args[name];
  if (!argument) return error;
  const { referenceMessage = hasInvalidFormat } = argument.type;
  const message = argument.list
    ? `element in array ${name} has an invalid format`
    : referenceMessage(name, textOf(name, raw));
  return new ApiError("InvalidArgument", message, { cause: error });
}
