import { pipeline } from "node:stream/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { IRouter, Request, RequestHandler, Response } from "express";
import type { ExecutionArgs, ExecutionResult, GraphQLSchema } from "graphql";
import { createYoga, isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { errorCodes } from "../../schema/errors/errors.js";
import { type Context, operationContext, type Services, withOneConnection } from "../../schema/graph/context.js";
import type { Access } from "../access/access.js";
import { sendForbidden } from "../access/sign-in.js";
import type { ClientLimit, ClientLimits } from "../clients/client-limit.js";
import { exchangeOf, handler, markRoute } from "../http/exchange.js";
import { jsonBody } from "../http/json-body.js";
import { otherMethods } from "../http/other-methods.js";
import { wantsPage } from "../http/plain-page.js";
import { JSON_TYPE, send } from "../http/send.js";
import { type CompiledQueries, documentCache } from "./compiled-queries.js";
import { sendGraphiql } from "./graphiql.js";
import { maskResult } from "./mask-error.js";
import { documentLimits, limitResult, parseDocument } from "./protection.js";
import { asksByHash, type GraphqlRequest, notAcceptable, readGraphqlRequest } from "./read-request.js";
import { subscribe } from "./subscribe.js";

/** Path of GraphQL, and of GraphiQL for browsers. */
export const GRAPHQL_PATH = "/graphql";

/** Subscriptions per client over HTTP: a stream that is not read holds two results, of which the library makes copies. */
const STREAMS_PER_CLIENT = 10;

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  /** The services of operations of users. */
  readonly services: Services;
  readonly queries: CompiledQueries;
  readonly log: Logger;
  readonly access: Access;
  readonly clientLimits: ClientLimits;
}

/** Context of a request besides the request itself. */
interface RequestContext {
  /** The services of its slot. */
  readonly own: Services;
  readonly requestId: string;
  /** Key of the client that sent it. */
  readonly client: string;
}

/** Serves `/graphql`. Errors have the codes of REST in `extensions.code`. */
export function serveGraphql(router: IRouter, options: GraphqlOptions): void {
  const { access } = options;
  const run = runner(options);
  const requireAccess: RequestHandler = (request, _response, next) => {
    if (access.mayUse(request)) return next();
    throw access.forbidden(request);
  };
  router
    .route(GRAPHQL_PATH)
    .all(markRoute(GRAPHQL_PATH), access.limitGuesses)
    .get((request, response, next) => {
      if (request.method === "HEAD" || !wantsPage(request)) return next();
      if (!access.mayRead(request)) return sendForbidden(request, response, access, "graphql");
      return sendGraphiql(request, response);
    })
    .all(requireAccess)
    // Only JSON: pages of other origins can send other types without a preflight request.
    .post(...jsonBody(), run)
    .get((request, response, next) => (request.method === "HEAD" ? next() : run(request, response, next)))
    .all(otherMethods(["GET", "POST"]));
}

/** Whether the answer has the type that is sent without a wish. */
function wantsJson({ headers: { accept = "*/*" } }: Request): boolean {
  return accept === "*/*" || accept === "application/json";
}

function runner({ schema, services, queries, log, clientLimits }: GraphqlOptions): RequestHandler {
  // Even parsing a document takes longer than most REST requests.
  const operations = clientLimits.create("graphqlOperations", { perClient: 1 });
  const streams = clientLimits.create("graphqlStreams", {
    perClient: STREAMS_PER_CLIENT,
    waiting: 0,
    tooMany: `a client may have ${STREAMS_PER_CLIENT} subscriptions over HTTP: use a WebSocket`,
  });
  const yoga = createYoga<RequestContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ own }) => operationContext(own),
    plugins: [limitPlugin(log, queries), maskPlugin(log)],
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
  const fetch = (
    { method, headers }: Request,
    { search, operation }: GraphqlRequest,
    signal: AbortSignal,
    context: RequestContext,
  ) => {
    // Not created by the library from Node's request: it trusts Host, and answers with stack traces if that is
    // invalid.
    const init = {
      method,
      headers: { accept: headers.accept ?? "*/*", "content-type": "application/json" },
      signal,
      ...(method === "POST" && { body: JSON.stringify(operation) }),
    };
    return yoga.fetch(`http://localhost${GRAPHQL_PATH}${search}`, init, context);
  };
  return handler(async (request, response) => {
    const exchange = exchangeOf(response);
    const { client, requestId } = exchange;
    const { signal } = exchange.connection;
    if (asksByHash(request)) return send(request, response, 200, NOT_PERSISTED);
    const work = async (own: Services) => {
      const stream = await operations.run(client, signal, async () => {
        const parsed = readGraphqlRequest(request);
        const execute = async () => {
          // Parsing and validating takes some ms: others are served between two operations that wait for each other.
          await nextTurn();
          return fetch(request, parsed, signal, { own, requestId, client });
        };
        const contextOf = () => operationContext(own);
        const result = await (wantsJson(request) ? queries.run(parsed.operation, contextOf, execute) : execute());
        if ("data" in result) {
          logOperation(log, requestId, result.context);
          await send(request, response, 200, JSON.stringify({ data: result.data }), JSON_TYPE);
          return exchange.sent;
        }
        if (isStream(result)) return result;
        await sendResult(request, response, result);
        return exchange.sent;
      });
      if (stream) await sendStream(response, stream, streams);
    };
    await withOneConnection({ ...services, client }, work, signal);
  });
}

/**
 * The answer to a persisted query (Apollo's, urql's), as their servers give it, with its status: those clients look for
 * the message, and then send the text of the query, also in all later requests.
 */
const NOT_PERSISTED = JSON.stringify({
  errors: [{ message: "PersistedQueryNotSupported", extensions: { code: "PERSISTED_QUERY_NOT_SUPPORTED" } }],
});

const typeOf = ({ headers }: globalThis.Response) => headers.get("content-type") ?? JSON_TYPE;
/** Whether it is the response to a subscription, which ends with the connection. */
const isStream = (result: globalThis.Response) => !typeOf(result).includes("json") && result.body !== null;

/** Sends the results of a subscription, in a slot of its own. */
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

function logOperation(log: Logger, requestId: string, { taken }: Context): void {
  log.debug({ requestId, ...taken }, "graphql operation");
}

/** Rejects documents beyond their limits; subscriptions are not limited as a whole. */
function limitPlugin(log: Logger, queries: CompiledQueries): Plugin {
  return {
    onParse: ({ setParseFn }) => setParseFn((source: string) => parseDocument(String(source))),
    onValidate: ({ addValidationRule }) => {
      for (const rule of documentLimits) addValidationRule(rule);
    },
    onExecute: ({ args }) => {
      queries.note(args.document, args.operationName ?? undefined);
      const context = args.contextValue as unknown as RequestContext & Context;
      return { onExecuteDone: () => logOperation(log, context.requestId, context) };
    },
    onSubscribe: ({ setSubscribeFn }) => {
      setSubscribeFn((args: ExecutionArgs) => {
        const { own, requestId, client } = args.contextValue as RequestContext;
        const contextValue = { ...(args.contextValue as object), db: own.db };
        return subscribe({ ...args, contextValue }, (result) => maskResult(result, { log, requestId, client }));
      });
    },
  };
}

/**
 * Masks the errors of every result, where its request is known. (The libraries' earlier hook has only the error; and
 * an AsyncLocalStorage slows down everything in the process from its first use on.)
 */
function maskPlugin(log: Logger): Plugin {
  return {
    onResultProcess: ({ result, setResult, resultProcessor, serverContext }) => {
      const { requestId, client } = serverContext as unknown as RequestContext;
      const mask = (one: ExecutionResult) => maskResult(limitResult(one), { log, requestId, client });
      if (Array.isArray(result)) setResult(result.map(mask));
      else if (!isAsyncIterable(result)) setResult(mask(result));
      // Results of subscriptions are masked where they are created. Without a processor the client accepts no stream.
      else if (!resultProcessor) void result[Symbol.asyncIterator]().return?.();
    },
  };
}
