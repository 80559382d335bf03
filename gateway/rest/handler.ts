import type { ServerResponse } from "node:http";
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
import { addHeader } from "../http/response-head.js";
import { JSON_TYPE, send, sendNotModified } from "../http/send.js";
import { sendParts } from "../http/send-parts.js";
import { answerFromCache, turnForTag, turnToSend } from "./cached-answers.js";
import { exportHandler } from "./export-handler.js";
import { readArguments } from "./read-arguments.js";
import { queryOf, readRequest } from "./read-request.js";
import type { RouteHandler } from "./route-request.js";
import type { AskInParts, Route, RouteWork, ServerFacts } from "./routes/route.js";
import { SharedReads } from "./shared-reads.js";

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
 * The handler of a route. Its operation is compiled here, once.
 * @throws Error when the operation does not match the schema
 */
export function routeHandler(route: Route, options: HandlerOptions): RouteHandler {
  const { work } = route;
  if ("rows" in work) return exportHandler(route, work, options);
  if ("serve" in work) {
    return async ({ request, response, turn }) => {
      await turn.take();
      const { body, status, contentType, headers = {} } = await work.serve(options.facts);
      for (const [name, value] of Object.entries(headers)) addHeader(response, name, value);
      await send(request, response, status ?? 200, body, contentType);
    };
  }
  return "stream" in work ? streamHandler(route, work, options) : operationHandler(route, work, options);
}

/** Streams have no end: HEAD gets their headers only if the request is valid. */
function streamHandler(route: Route, work: StreamWork, { streams, behaviour }: HandlerOptions): RouteHandler {
  return async ({ request, response, path, body }) => {
    const raw = { path, query: queryOf(request.url as string), headers: request.headers, body };
    const wanted = work.stream(readArguments(route.arguments, raw, behaviour));
    if (request.method === "HEAD") response.setHeader("Content-Type", `${route.mediaType}; charset=utf-8`).end();
    else await streams.open(request, response, wanted);
  };
}

function operationHandler(route: Route, work: OperationWork, options: HandlerOptions): RouteHandler {
  const operation = compileOperation(options.schema, work.operation);
  const { chainTag, cache, behaviour, largeAnswers, services } = options;
  const { followsChain, readsState = false } = work;
  const reads = new SharedReads();
  // Others are not determined by their URLs alone.
  const isShareable =
    route.method === "GET" &&
    Object.values(route.arguments).every(({ place }) => place === "path" || place === "query");
  return async ({ request, response, path, body: requestBody, turn }) => {
    const { method, headers: requested } = request;
    const url = request.url as string;
    const known = followsChain ? requested["if-none-match"] : undefined;
    let tag: string | undefined;
    let knowsAny = false;
    // The current head decides; requests that arrive at the same moment share that query.
    const mustBeExact = followsChain && (known !== undefined || cache.has(url));
    if (mustBeExact) {
      const waiting = turnForTag(request, turn);
      if (waiting) await waiting;
      tag = await chainTag.current(readsState);
      const cached = tag === undefined || method !== "GET" ? undefined : cache.get(url, tag);
      if (cached) return answerFromCache(request, response, turn, cached);
      const isKnown = known !== undefined && tag !== undefined && isAmong(entityTag(tag, url), known);
      // `*` matches any existing resource: only the response shows whether it exists.
      knowsAny = tag !== undefined && known?.trim() === "*";
      if (isKnown) {
        addTag(response, tag, url);
        return sendNotModified(response);
      }
    }
    const waiting = isShareable && reads.has(url) ? turn.takeQuick() : turn.take();
    if (waiting) await waiting;
    const { values, variables } = readRequest(
      route,
      work,
      { path, query: queryOf(url), headers: requested, body: requestBody },
      behaviour,
    );
    if (followsChain) {
      if (!mustBeExact) tag = await chainTag.recent(readsState);
      addTag(response, tag, url);
    }
    const inParts = work.inParts?.(values);
    if (inParts && !knowsAny) {
      const release = await largeAnswers.enter(clientKeyOf(response));
      response.once("close", release);
      return sendParts(request, response, route.success ?? 200, inParts(askInParts(operation, variables, options)));
    }
    const read = async () => work.answer(await operation(createContext(services), variables), values, path, behaviour);
    const answer = await (isShareable ? reads.share(url, read) : read());
    const { body, status, contentType = JSON_TYPE, headers = {} } = answer;
    const sending = turnToSend(turn, body.length);
    if (sending) await sending;
    if (knowsAny) return sendNotModified(response);
    for (const name in headers) addHeader(response, name, headers[name] as string);
    const isKept = tag !== undefined && status === undefined && method === "GET" && cache.wants(url, tag);
    const bytes = isKept ? Buffer.from(body as string) : undefined;
    await send(request, response, status ?? route.success ?? 200, body, contentType);
    if (tag === undefined || !bytes) return;
    // The head may have moved before the response was read: then it may be newer than its tag.
    const isStillSo = await chainTag.current(readsState).then(
      (now) => now === tag,
      () => false,
    );
    if (isStillSo)
      cache.set(url, tag, { body: bytes, contentType, headers: { ...headers, ...tagHeaders(tag, url) }, readsState });
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

/** Adds the headers of a response that follows the chain. */
function addTag(response: ServerResponse, tag: string | undefined, url: string): void {
  const headers = tagHeaders(tag, url);
  for (const name in headers) addHeader(response, name, headers[name] as string);
}

/** Without a tag of the chain the response cannot have an entity tag. */
function tagHeaders(tag: string | undefined, url: string): Readonly<Record<string, string>> {
  return { "Cache-Control": "no-cache", ...(tag !== undefined && { ETag: entityTag(tag, url) }) };
}
