import { pipeline } from "node:stream/promises";
import type { Express, Request, RequestHandler, Response } from "express";
import type { ExecutionResult, GraphQLSchema } from "graphql";
import { createYoga, isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { createOperationContext, type Services } from "../../schema/graph/context.js";
import { errorCodes } from "../../schema/services/errors.js";
import { OperationMeter } from "../../schema/services/operation-meter.js";
import { type Access, requirePath } from "../access/access.js";
import { sendForbidden } from "../access/sign-in.js";
import type { FairGate } from "../clients/fair-gate.js";
import type { Gates } from "../clients/gates.js";
import { jsonBody } from "../http/json-body.js";
import { otherMethods } from "../http/other-methods.js";
import { requestIdOf } from "../http/requests.js";
import { JSON_TYPE, send } from "../http/send.js";
import { documentCache } from "./document-cache.js";
import type { EventResult } from "./event-result.js";
import { EVENT_STREAM_TYPE, sendEventStream } from "./event-stream.js";
import { sendGraphiql } from "./graphiql.js";
import { limitPlugin, type RequestContext } from "./limit-plugin.js";
import { type GraphqlLimits, graphqlLimits } from "./limits.js";
import { maskResult } from "./mask-error.js";
import { operationChannel } from "./operation.js";
import { takeOperationTurns } from "./operation-turns.js";
import { notAcceptable, readGraphqlRequest } from "./read-request.js";

/** Path of GraphQL, and of GraphiQL for browsers. */
export const GRAPHQL_PATH = "/graphql";

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly log: Logger;
  readonly access: Access;
  /** Maximum size of a body, in bytes. */
  readonly bodyLimitBytes: number;
  readonly gates: Gates;
  /** Lets in the requests with large bodies. */
  readonly largeBodies: FairGate;
  readonly limits?: Partial<GraphqlLimits> | undefined;
}

/** Serves `/graphql`. Errors have the codes of REST in `extensions.code`. @param before handlers that run first */
export function serveGraphql(app: Express, options: GraphqlOptions, before: readonly RequestHandler[]): void {
  const { access, bodyLimitBytes } = options;
  const run = runner(options);
  const { operationsPerClient, bodyBytes } = { ...graphqlLimits, ...options.limits };
  const takeTurn = takeOperationTurns(options.gates.create({ perClient: operationsPerClient }));
  const requireAccess: RequestHandler = (request, _response, next) => {
    if (access.mayUse(request)) return next();
    throw access.forbidden(request);
  };
  app
    .route(GRAPHQL_PATH)
    .all(...before, requirePath)
    .get((request, response, next) => {
      if (request.method === "HEAD" || !wantsPage(request)) return next();
      if (!access.mayRead(request)) return sendForbidden(request, response, access, "graphql");
      return sendGraphiql(request, response);
    })
    .all(requireAccess)
    // Only JSON: pages of other origins can send other types without a preflight request.
    .post(...jsonBody(Math.min(bodyLimitBytes, bodyBytes), options.largeBodies), takeTurn, run)
    .get((request, response, next) => {
      if (request.method === "HEAD") return next();
      return takeTurn(request, response, (error?: unknown) => (error ? next(error) : run(request, response, next)));
    })
    .all(otherMethods(["GET", "POST"]));
}

/** Whether a browser wants a page. */
function wantsPage({ headers }: Request): boolean {
  return headers.accept?.includes("text/html") ?? false;
}

function runner({ schema, services, log, limits: own }: GraphqlOptions): RequestHandler {
  const limits = { ...graphqlLimits, ...own };
  const yoga = createYoga<RequestContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ meter }) => createOperationContext(services, meter),
    plugins: [limitPlugin(limits, log), maskPlugin(log)],
    parserAndValidationCache: {
      documentCache: documentCache(),
      errorCache: documentCache(),
      validationCache: documentCache(),
    },
    landingPage: false,
    graphiql: false,
    // A page of another origin must not read protected data.
    cors: false,
    // Errors are logged where they are masked.
    logging: false,
    maskedErrors: false,
  });
  return async (request, response) => {
    const { search, body } = readGraphqlRequest(request);
    const requestId = requestIdOf(response);
    const meter = new OperationMeter(limits);
    const abort = new AbortController();
    response.once("close", () => {
      meter.end();
      abort.abort();
    });
    const { method, headers } = request;
    // Not created by the library from Node's request: it trusts Host, and answers with stack traces if that is
    // invalid.
    const init = {
      method,
      headers: { accept: headers.accept ?? "*/*", "content-type": "application/json" },
      signal: abort.signal,
      ...(body !== undefined && { body }),
    };
    let events: AsyncIterator<EventResult> | undefined;
    const onSubscribed = (results: AsyncIterator<EventResult>) => {
      events = results;
    };
    const context = { meter, requestId, response, onSubscribed };
    const work = () => yoga.fetch(`http://localhost${GRAPHQL_PATH}${search}`, init, context);
    const result = await (operationChannel.hasSubscribers
      ? operationChannel.tracePromise(async () => work(), { text: GRAPHQL_PATH })
      : work());
    await sendResult(request, response, result, events);
    const { statements, rows } = meter;
    log.debug({ requestId, statements, rows }, "graphql operation");
  };
}

/** Sends the library's response. */
async function sendResult(
  request: Request,
  response: Response,
  result: globalThis.Response,
  events?: AsyncIterator<EventResult>,
): Promise<void> {
  if (result.status === errorCodes.NotAcceptable.status) {
    await events?.return?.();
    throw notAcceptable();
  }
  const type = result.headers.get("content-type") ?? JSON_TYPE;
  const allow = result.headers.get("allow");
  if (allow !== null) response.setHeader("Allow", allow);
  if (events) return sendEventStream(response, events);
  if (type.includes("json")) return send(request, response, result.status, await result.text(), type);
  response.writeHead(result.status, { "Content-Type": type, "Cache-Control": "no-cache" });
  await pipeline(result.body as unknown as AsyncIterable<Uint8Array>, response).catch((error: Error) => {
    // The client has disconnected.
    if (!response.closed) throw error;
  });
}

/**
 * Masks the errors of every result, where its request is known. (The libraries' earlier hook has only the error; and
 * an AsyncLocalStorage slows down everything in the process from its first use on.)
 */
function maskPlugin(log: Logger): Plugin {
  return {
    onResultProcess: ({ result, setResult, resultProcessor, setResultProcessor, serverContext }) => {
      const { requestId } = serverContext as unknown as RequestContext;
      const mask = (one: ExecutionResult) => maskResult(one, { log, requestId });
      if (Array.isArray(result)) setResult(result.map(mask));
      else if (!isAsyncIterable(result)) setResult(mask(result));
      // If the client accepts streams. Ours is written without the library, which copies each result several times.
      else if (resultProcessor) setResultProcessor((_result, { Response }) => new Response(null), EVENT_STREAM_TYPE);
    },
  };
}
