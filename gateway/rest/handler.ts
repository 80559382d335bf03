import type { Request, RequestHandler, Response } from "express";
import type { GraphQLSchema } from "graphql";
import { ApiError } from "../../schema/errors/errors.js";
import { type Services, withOneConnection } from "../../schema/graph/context.js";
import { stateDb } from "../../schema/graph/state.js";
import { isOverTls } from "../access/origin.js";
import type { ClientLimit } from "../clients/client-limit.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import type { EventStreams } from "../events/event-streams.js";
import { type Operation, operationOf } from "../graphql/operation.js";
import { exchangeOf, handler } from "../http/exchange.js";
import type { ResponseCache } from "../http/response-cache.js";
import {
  endWith,
  entityTag,
  isKnown,
  JSON_TYPE,
  measureSize,
  send,
  sendable,
  sendNotModified,
  toBytes,
} from "../http/send.js";
import { sendParts } from "../http/send-parts.js";
import { exportHandler } from "./export-handler.js";
import { readArguments, readRequest, sliceQuery } from "./read-arguments.js";
import type { Answer, AskInParts, Origin, Route, RouteWork, ServerFacts } from "./route/route.js";

export interface HandlerOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly cache: ResponseCache;
  readonly facts: ServerFacts;
  readonly behaviour: Behaviour;
  readonly streams: EventStreams;
  /** The limit of answers in parts. */
  readonly largeAnswers: ClientLimit;
  readonly exports: ClientLimit;
}

type StreamWork = Extract<RouteWork, { stream: unknown }>;
type OperationWork = Extract<RouteWork, { operation: string }>;

/** The handler of a route. */
export function routeHandler(route: Route, options: HandlerOptions): RequestHandler {
  const { work } = route;
  if ("rows" in work) return exportHandler(route, work, options);
  if ("stream" in work) return streamHandler(route, work, options);
  if ("operation" in work) return operationHandler(route, work, options);
  return handler(async (request, response) => {
    const { body, status, contentType, headers = {} } = await work.serve(options.facts, originOf(request));
    for (const name in headers) response.setHeader(name, headers[name] as string);
    await send(request, response, status ?? 200, body, contentType);
  });
}

function originOf(request: Request): Origin {
  return { host: request.headers.host ?? "localhost", isOverTls: isOverTls(request) };
}

/** The raw parts of a request. */
export function rawArguments({ params, url, headers, body }: Request) {
  return { path: params as Record<string, string>, query: sliceQuery(url), headers, body: body as unknown };
}

/** Streams have no end: HEAD gets their headers only if the request is valid. */
function streamHandler(route: Route, work: StreamWork, { streams, behaviour }: HandlerOptions): RequestHandler {
  return handler(async (request, response) => {
    const wanted = work.stream(readArguments(route.arguments, rawArguments(request), behaviour));
    if (request.method === "HEAD") response.setHeader("Content-Type", `${route.mediaType}; charset=utf-8`).end();
    else await streams.open(request, response, wanted);
  });
}

function operationHandler(route: Route, work: OperationWork, options: HandlerOptions): RequestHandler {
  const operation = operationOf(options.schema, work.operation);
  const { cache, behaviour, largeAnswers, services } = options;
  return handler(async (request, response) => {
    const raw = rawArguments(request);
    const { values, variables } = readRequest(route, work, raw, behaviour);
    const { client, connection } = exchangeOf(response);
    const inParts = work.inParts?.(values);
    if (inParts) {
      if (work.followsChain) response.setHeader("Cache-Control", "no-cache");
      return largeAnswers.run(client, connection.signal, () =>
        withOneConnection(services, (own) => {
          const ask = askInParts(operation, variables, { ...options, services: own });
          return sendParts(request, response, route.success ?? 200, inParts(ask));
        }),
      );
    }
    // Before the database is read.
    const { version } = cache;
    const answer = await foundOrUnknown(services, async () => {
      const data = await withOneConnection({ ...services, client }, (own) => operation(own, variables));
      // The client may have disconnected: the rest of the work would be in vain.
      connection.signal.throwIfAborted();
      return work.answer(data, values, raw.path, behaviour);
    });
    if (work.followsChain && answer.status === undefined) await sendTagged(request, response, answer, cache, version);
    else await sendAnswer(request, response, answer, route.success ?? 200);
  });
}

/** @throws ApiError ServiceUnavailable in place of ResourceNotFound while nothing is indexed: then it means nothing */
async function foundOrUnknown<T>(services: Services, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof ApiError && error.code === "ResourceNotFound") await withOneConnection(services, stateDb);
    throw error;
  }
}

function sendAnswer(request: Request, response: Response, answer: Answer, success: number): Promise<void> {
  const { body, status = success, contentType, headers = {} } = answer;
  for (const name in headers) response.setHeader(name, headers[name] as string);
  return send(request, response, status, body, contentType);
}

/**
 * Up to this size the entity tag is a digest of the body, in bytes; that of larger ones is the version of the database: a
 * digest would take a fifth of the processor time of a large page.
 */
const DIGESTED_BYTES = 32_768;

/** Sends an answer that changes with the chain only; keeps it if it is requested repeatedly. */
export async function sendTagged(
  request: Request,
  response: Response,
  { body, contentType = JSON_TYPE, headers: own }: Answer,
  cache: ResponseCache,
  version: number | undefined,
): Promise<void> {
  const isDigested = version === undefined || measureSize(body) <= DIGESTED_BYTES;
  const ETag = isDigested ? entityTag(body) : cache.makeTag(version);
  const tagged = { ...own, "Cache-Control": "no-cache", ETag };
  const isWanted = version !== undefined && cache.wants(request);
  const isKnownToClient = isKnown(tagged.ETag, request);
  if (isKnownToClient && !isWanted) return sendNotModified(response, tagged);
  const ready = await sendable(request, body, contentType);
  const headers = { ...tagged, ...ready.headers };
  if (isWanted) cache.keep(request, version, { body: toBytes(ready.body), headers, route: exchangeOf(response).route });
  if (isKnownToClient) return sendNotModified(response, tagged);
  response.writeHead(200, headers);
  endWith(request, response, ready.body);
}

function askInParts(
  operation: Operation,
  variables: Readonly<Record<string, unknown>>,
  { schema, services }: HandlerOptions,
): AskInParts {
  return {
    own: (changes) => operation(services, { ...variables, ...changes }),
    other: (text, otherVariables) => operationOf(schema, text)(services, { ...otherVariables }),
  };
}
