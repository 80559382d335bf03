import type { Request, RequestHandler, Response } from "express";
import type { GraphQLSchema } from "graphql";
import { createContext, type Services } from "../schema/context.js";
import type { ChainTag } from "./chain-tag.js";
import { FairGate } from "./fair-gate.js";
import { compileOperation, type Operation } from "./operation.js";
import { type ReadSettings, readArguments } from "./read-arguments.js";
import { clientKeyOf } from "./request-turns.js";
import type { ResponseCache } from "./response-cache.js";
import type { AskInParts, Route, RouteWork, ServerFacts } from "./routes/route.js";
import { JSON_TYPE, send, sendCached } from "./send.js";
import { sendParts } from "./send-parts.js";

export interface HandlerOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly chainTag: ChainTag;
  readonly cache: ResponseCache;
  readonly facts: ServerFacts;
  readonly arguments: ReadSettings;
}

type OperationWork = Extract<RouteWork, { operation: string }>;

/**
 * The express handler of a route. Its operation is compiled here, once.
 * @throws Error when the operation does not fit the schema
 */
export function routeHandler(route: Route, options: HandlerOptions): RequestHandler {
  const { work } = route;
  if ("serve" in work) {
    return async (request, response) => {
      const { body, status, contentType } = await work.serve(options.facts);
      await send(request, response, status ?? 200, body, contentType);
    };
  }
  return operationHandler(route, work, options);
}

function operationHandler(route: Route, work: OperationWork, options: HandlerOptions): RequestHandler {
  const operation = compileOperation(options.schema, work.operation);
  const { chainTag, cache } = options;
  const readsState = work.readsState ?? false;
  return async (request, response) => {
    const { url, method } = request;
    const path = request.params as Record<string, string>;
    const raw = { path, query: queryOf(request), body: request.body as unknown };
    const values = readArguments(route.arguments, raw, options.arguments);
    const tag = work.followsChain ? await tagOf(request, response, options, readsState) : undefined;
    if (tag !== undefined && isKnown(request, tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
    const cached = tag === undefined || method !== "GET" ? undefined : cache.get(url, tag);
    if (cached) return sendCached(request, response, cached);
    const inParts = work.inParts?.(values);
    if (inParts) {
      const release = await largeAnswers.enter(clientKeyOf(response));
      response.once("close", release);
      const ask = askInParts(operation, work.variables(values), options);
      return sendParts(request, response, route.success ?? 200, inParts(ask));
    }
    const data = await operation(createContext(options.services), work.variables(values));
    const { body, status, contentType = JSON_TYPE, headers = {} } = work.answer(data, values, path);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const isKept = tag !== undefined && status === undefined && method === "GET" && cache.wants(url, tag);
    const bytes = isKept && typeof body === "string" ? Buffer.from(body) : body;
    await send(request, response, status ?? route.success ?? 200, bytes, contentType);
    if (!isKept || !Buffer.isBuffer(bytes)) return;
    // The head may have moved before the answer was read: then it may be newer than its tag.
    const isStillSo = await chainTag.current(readsState).then(
      (now) => now === tag,
      () => false,
    );
    if (isStillSo) cache.set(url, tag, { body: bytes, contentType, headers });
  };
}

/** Answers in parts that are sent to one client at one time. */
const LARGE_ANSWERS_OF_ONE_CLIENT = 2;
const largeAnswers = new FairGate({ perClient: LARGE_ANSWERS_OF_ONE_CLIENT });

/** Operations that answers in parts ask for besides their route's own, by their texts. */
const others = new WeakMap<GraphQLSchema, Map<string, Operation>>();

function askInParts(
  operation: Operation,
  variables: Readonly<Record<string, unknown>>,
  { schema, services }: HandlerOptions,
): AskInParts {
  const compiled = others.get(schema) ?? new Map<string, Operation>();
  others.set(schema, compiled);
  return {
    own: (changes) => operation(createContext(services), { ...variables, ...changes }),
    other: (text, otherVariables) => {
      const other = compiled.get(text) ?? compileOperation(schema, text);
      compiled.set(text, other);
      return other(createContext(services), { ...otherVariables });
    },
  };
}

/** The tag of the answer to come, which is put on the response; undefined while it cannot have one. */
async function tagOf(
  { headers, url }: Request,
  response: Response,
  { chainTag, cache }: HandlerOptions,
  readsState: boolean,
): Promise<string | undefined> {
  const mustBeExact = headers["if-none-match"] !== undefined || cache.has(url);
  const tag = await (mustBeExact ? chainTag.current(readsState) : chainTag.recent(readsState));
  response.setHeader("Cache-Control", "no-cache");
  if (tag !== undefined) response.setHeader("ETag", tag);
  return tag;
}

/** Whether the client has the answer with this tag already. */
function isKnown({ headers }: Request, tag: string): boolean {
  const known = headers["if-none-match"];
  return known !== undefined && isAmong(tag, known);
}

/** Whether a tag is among those of If-None-Match; ours have no comma in them, and are all weak. */
function isAmong(tag: string, known: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return known.trim() === "*" || known.split(",").some((text) => opaque(text) === opaque(tag));
}

function queryOf({ url }: Request): string {
  const mark = url.indexOf("?");
  return mark < 0 ? "" : url.slice(mark + 1);
}
