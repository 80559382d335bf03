import type { Request, RequestHandler, Response } from "express";
import type { GraphQLSchema } from "graphql";
import { createContext, type Services } from "../../schema/graph/context.js";
import type { ChainTag } from "../../schema/services/chain-tag.js";
import type { FairGate } from "../clients/fair-gate.js";
import { clientKeyOf } from "../clients/request-turns.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import type { EventStreams } from "../events/event-streams.js";
import { compileOperation, type Operation } from "../graphql/operation.js";
import { entityTag, isAmong } from "../http/entity-tag.js";
import type { ResponseCache } from "../http/response-cache.js";
import { JSON_TYPE, send, sendCached, sendNotModified } from "../http/send.js";
import { sendParts } from "../http/send-parts.js";
import { exportHandler } from "./export-handler.js";
import { readArguments } from "./read-arguments.js";
import { rawArguments, readRequest } from "./read-request.js";
import type { AskInParts, Route, RouteWork, ServerFacts } from "./routes/route.js";

export interface HandlerOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly chainTag: ChainTag;
  readonly cache: ResponseCache;
  readonly facts: ServerFacts;
  readonly behaviour: Behaviour;
  readonly streams: EventStreams;
  /** Bounds the answers in parts that one client takes at one time. */
  readonly largeAnswers: FairGate;
  /** Bounds the exports that one client takes at one time. */
  readonly exports: FairGate;
}

type StreamWork = Extract<RouteWork, { stream: unknown }>;
type OperationWork = Extract<RouteWork, { operation: string }>;

/**
 * The express handler of a route. Its operation is compiled here, once.
 * @throws Error when the operation does not match the schema
 */
export function routeHandler(route: Route, options: HandlerOptions): RequestHandler {
  const { work } = route;
  if ("rows" in work) return exportHandler(route, work, options);
  if ("serve" in work) {
    return async (request, response) => {
      const { body, status, contentType, headers = {} } = await work.serve(options.facts);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      await send(request, response, status ?? 200, body, contentType);
    };
  }
  return "stream" in work ? streamHandler(route, work, options) : operationHandler(route, work, options);
}

/** Streams have no end: HEAD gets their headers only if the request is valid. */
function streamHandler(route: Route, work: StreamWork, { streams, behaviour }: HandlerOptions): RequestHandler {
  return async (request, response) => {
    const wanted = work.stream(readArguments(route.arguments, rawArguments(request), behaviour));
    if (request.method === "HEAD") response.setHeader("Content-Type", `${route.mediaType}; charset=utf-8`).end();
    else await streams.open(request, response, wanted);
  };
}

function operationHandler(route: Route, work: OperationWork, options: HandlerOptions): RequestHandler {
  const operation = compileOperation(options.schema, work.operation);
  const { chainTag, cache, behaviour, largeAnswers } = options;
  const readsState = work.readsState ?? false;
  return async (request, response) => {
    const { url, method, headers: requested } = request;
    const path = request.params as Record<string, string>;
    const { values, variables } = readRequest(route, work, rawArguments(request), behaviour);
    const tag = work.followsChain ? await tagOf(request, response, options, readsState) : undefined;
    const known = tag === undefined ? undefined : requested["if-none-match"];
    if (known !== undefined && isAmong(entityTag(tag!, url), known)) return sendNotModified(response);
    // `*` matches any existing resource: only the response shows whether it exists.
    const knowsAny = known?.trim() === "*";
    const cached = tag === undefined || method !== "GET" ? undefined : cache.get(url, tag);
    if (cached) return knowsAny ? sendNotModified(response) : sendCached(request, response, cached);
    const inParts = work.inParts?.(values);
    if (inParts && !knowsAny) {
      const release = await largeAnswers.enter(clientKeyOf(response));
      response.once("close", release);
      return sendParts(request, response, route.success ?? 200, inParts(askInParts(operation, variables, options)));
    }
    const data = await operation(createContext(options.services), variables);
    const { body, status, contentType = JSON_TYPE, headers = {} } = work.answer(data, values, path, behaviour);
    if (knowsAny) return sendNotModified(response);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const isKept = tag !== undefined && status === undefined && method === "GET" && cache.wants(url, tag);
    const bytes = isKept && typeof body === "string" ? Buffer.from(body) : body;
    await send(request, response, status ?? route.success ?? 200, bytes, contentType);
    if (!isKept || !Buffer.isBuffer(bytes)) return;
    // The head may have moved before the response was read: then it may be newer than its tag.
    const isStillSo = await chainTag.current(readsState).then(
      (now) => now === tag,
      () => false,
    );
    if (isStillSo) cache.set(url, tag, { body: bytes, contentType, headers });
  };
}

/** Operations that responses in parts run besides their route's own, by their texts. */
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

/** The chain's tag for the response, from which its entity tag is derived; undefined if it cannot have one. */
async function tagOf(
  { headers, url }: Request,
  response: Response,
  { chainTag, cache }: HandlerOptions,
  readsState: boolean,
): Promise<string | undefined> {
  const mustBeExact = headers["if-none-match"] !== undefined || cache.has(url);
  const tag = await (mustBeExact ? chainTag.current(readsState) : chainTag.recent(readsState));
  response.setHeader("Cache-Control", "no-cache");
  if (tag !== undefined) response.setHeader("ETag", entityTag(tag, url));
  return tag;
}
