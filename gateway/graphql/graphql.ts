import { pipeline } from "node:stream/promises";
import type { IRouter, Request, RequestHandler, Response } from "express";
import type { ExecutionResult, GraphQLSchema } from "graphql";
import { createYoga, isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { createOperationContext, inOnePlace, type Services } from "../../schema/graph/context.js";
import { errorCodes } from "../../schema/services/errors.js";
import { OperationMeter } from "../../schema/services/operation-meter.js";
import { type Access, requirePath } from "../access/access.js";
import { sendForbidden } from "../access/sign-in.js";
import type { ClientLimit, ClientLimits } from "../clients/client-limit.js";
import { FairQueue } from "../clients/fair-queue.js";
import { exchangeOf, handler, markRoute } from "../http/exchange.js";
import { jsonBody } from "../http/json-body.js";
import { otherMethods } from "../http/other-methods.js";
import { JSON_TYPE, send } from "../http/send.js";
import { documentCache } from "./document-cache.js";
import { sendGraphiql } from "./graphiql.js";
import { limitPlugin, type RequestContext } from "./limit-plugin.js";
import { type GraphqlLimits, graphqlLimits } from "./limits.js";
import { maskResult } from "./mask-error.js";
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
  readonly clientLimits: ClientLimits;
  /** Limits the requests with large bodies. */
  readonly limits?: Partial<GraphqlLimits> | undefined;
}

/** Serves `/graphql`. Errors have the codes of REST in `extensions.code`. */
export function serveGraphql(router: IRouter, options: GraphqlOptions): void {
  const { access, bodyLimitBytes } = options;
  const run = runner(options);
  const { bodyBytes } = { ...graphqlLimits, ...options.limits };
  const requireAccess: RequestHandler = (request, _response, next) => {
    if (access.mayUse(request)) return next();
    throw access.forbidden(request);
  };
  router
    .route(GRAPHQL_PATH)
    .all(markRoute(GRAPHQL_PATH), requirePath, access.limitGuesses)
    .get((request, response, next) => {
      if (request.method === "HEAD" || !wantsPage(request)) return next();
      if (!access.mayRead(request)) return sendForbidden(request, response, access, "graphql");
      return sendGraphiql(request, response);
    })
    .all(requireAccess)
    // Only JSON: pages of other origins can send other types without a preflight request.
    .post(...jsonBody(Math.min(bodyLimitBytes, bodyBytes)), run)
    .get((request, response, next) => (request.method === "HEAD" ? next() : run(request, response, next)))
    .all(otherMethods(["GET", "POST"]));
}

/** Whether a browser wants a page. */
function wantsPage({ headers }: Request): boolean {
  return headers.accept?.includes("text/html") ?? false;
}

function runner({ schema, services, log, limits: own, clientLimits }: GraphqlOptions): RequestHandler {
  const limits = { ...graphqlLimits, ...own };
  // Even parsing a document takes longer than most REST requests.
  const operations = clientLimits.create("graphqlOperations", { perClient: limits.operationsPerClient });
  const streams = clientLimits.create("graphqlStreams", {
    perClient: limits.streamsPerClient,
    waiting: 0,
    tooMany: `a client may have ${limits.streamsPerClient} subscriptions over HTTP: use a WebSocket`,
  });
  const steps = new FairQueue();
  const yoga = createYoga<RequestContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ own, meter }) => createOperationContext(own, meter),
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
  const fetch = (request: Request, signal: AbortSignal, context: RequestContext) => {
    const { search, body } = readGraphqlRequest(request);
    const { method, headers } = request;
    // Not created by the library from Node's request: it trusts Host, and answers with stack traces if that is
    // invalid.
    const init = {
      method,
      headers: { accept: headers.accept ?? "*/*", "content-type": "application/json" },
      signal,
      ...(body !== undefined && { body }),
    };
    return yoga.fetch(`http://localhost${GRAPHQL_PATH}${search}`, init, context);
  };
  return handler(async (request, response) => {
    const exchange = exchangeOf(response);
    const { client, requestId } = exchange;
    const { signal } = exchange.connection;
    const meter = new OperationMeter(limits);
    const abort = new AbortController();
    const onGone = () => {
      meter.end();
      abort.abort();
    };
    signal.addEventListener("abort", onGone);
    const work = async (own: Services) => {
      const context = { own, meter, requestId, client };
      const stream = await operations.run(client, signal, async () => {
        const result = await steps.run(client, () => fetch(request, abort.signal, context));
        const { statements, rows } = meter;
        log.debug({ requestId, statements, rows }, "graphql operation");
        if (isStream(result)) return result;
        await sendResult(request, response, result);
        return exchange.sent;
      });
      if (stream) await sendStream(response, stream, streams);
    };
    try {
      await inOnePlace({ ...services, client }, work);
    } finally {
      signal.removeEventListener("abort", onGone);
      onGone();
    }
  });
}

const typeOf = ({ headers }: globalThis.Response) => headers.get("content-type") ?? JSON_TYPE;
/** Whether it is the response to a subscription, which ends with the connection. */
const isStream = (result: globalThis.Response) => !typeOf(result).includes("json") && result.body !== null;

/** Sends the results of a subscription, in a place of its own. */
async function sendStream(response: Response, result: globalThis.Response, streams: ClientLimit): Promise<void> {
  const exchange = exchangeOf(response);
  try {
    await streams.run(exchange.client, exchange.connection.signal, async () => {
      exchange.beginStream();
      response.writeHead(result.status, { "Content-Type": typeOf(result), "Cache-Control": "no-cache" });
      await pipeline(result.body as unknown as AsyncIterable<Uint8Array>, response).catch((error: Error) => {
        // The client has disconnected.
        if (!response.closed) throw error;
      });
    });
  } finally {
    if (!result.body?.locked) await result.body?.cancel();
  }
}

async function sendResult(request: Request, response: Response, result: globalThis.Response): Promise<void> {
  if (result.status === errorCodes.NotAcceptable.status) throw notAcceptable();
  const allow = result.headers.get("allow");
  if (allow !== null) response.setHeader("Allow", allow);
  await send(request, response, result.status, await result.text(), typeOf(result));
}

/**
 * Masks the errors of every result, where its request is known. (The libraries' earlier hook has only the error; and
 * an AsyncLocalStorage slows down everything in the process from its first use on.)
 */
function maskPlugin(log: Logger): Plugin {
  return {
    onResultProcess: ({ result, setResult, resultProcessor, serverContext }) => {
      const { requestId } = serverContext as unknown as RequestContext;
      const mask = (one: ExecutionResult) => maskResult(one, { log, requestId });
      if (Array.isArray(result)) setResult(result.map(mask));
      else if (!isAsyncIterable(result)) setResult(mask(result));
      // Those of subscriptions are masked where they are created. Without a processor the client accepts no stream.
      else if (!resultProcessor) void result[Symbol.asyncIterator]().return?.();
    },
  };
}
