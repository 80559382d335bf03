import type { Request, RequestHandler, Response } from "express";
import type { ExecutionResult, GraphQLSchema } from "graphql";
import { createYoga, isAsyncIterable, mapAsyncIterator, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { createOperationContext, type Services } from "../../schema/context.js";
import { invalidArgument, invalidContent } from "../../schema/errors.js";
import { OperationMeter } from "../../schema/operation-meter.js";
import { jsonBody } from "../json-body.js";
import { requestIdOf } from "../requests.js";
import { forbidden, mayUseGraphql } from "./access.js";
import { DocumentCache } from "./document-cache.js";
import { type Asked, limitPlugin } from "./limit-plugin.js";
import { type GraphqlLimits, graphqlLimits } from "./limits.js";
import { maskError } from "./mask-error.js";
import { takeOperationTurns } from "./operation-turns.js";

/** Where GraphQL is served, with GraphiQL for browsers. */
export const GRAPHQL_PATH = "/graphql";

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly log: Logger;
  /** Opens the interface to callers from elsewhere that carry it. */
  readonly token?: string | undefined;
  /** Largest body, in bytes. */
  readonly bodyLimitBytes: number;
  readonly limits?: Partial<GraphqlLimits> | undefined;
}

/** What GraphiQL shows first; docs/graphql.md has ten more. */
const FIRST_QUESTION = `# Ctrl-Enter asks, Ctrl-Space completes. More questions: docs/graphql.md
{
  indexStatus { height nodeHeight blocksBehind secondsBehind }
  finalizationLag { blocks seconds }
  blocks(first: 3) {
    data {
      height
      harvester { address }
      transactions(first: 5) { data { hash type fee signer { address } } }
    }
  }
}
`;

/** The express handlers of `/graphql`. Errors have the codes of REST in `extensions.code`. */
export function graphqlHandlers(options: GraphqlOptions): readonly RequestHandler[] {
  const { schema, services, log, token, bodyLimitBytes } = options;
  const limits = { ...graphqlLimits, ...options.limits };
  const yoga = createYoga<Asked>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: ({ meter }) => createOperationContext(services, meter),
    plugins: [limitPlugin(limits), maskPlugin(log)],
    parserAndValidationCache: {
      documentCache: new DocumentCache(),
      errorCache: new DocumentCache(),
      validationCache: new DocumentCache(),
    },
    landingPage: false,
    // A page from elsewhere shall not read what only local callers may.
    cors: false,
    graphiql: { title: "symbol-gateway", defaultQuery: FIRST_QUESTION },
    renderGraphiQL: async (options) => {
      // 9 MB of page, without anything from elsewhere: loaded when somebody looks at it.
      const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
      return renderGraphiQL(options);
    },
    // What goes wrong is logged where it is masked.
    logging: false,
    maskedErrors: false,
  });
  // Only JSON: what pages from elsewhere can send without being asked is of other types.
  const readBody = [...jsonBody(bodyLimitBytes), requireOneOperation].map(ofPosts);
  const answer = async (request: Request, response: Response) => {
    const requestId = requestIdOf(response);
    const meter = new OperationMeter(limits);
    response.once("close", () => meter.end());
    await yoga(request, response, { meter, requestId, response });
    const { statements, rows } = meter;
    log.debug({ requestId, statements, rows }, "graphql operation");
  };
  return [guard(token), ...readBody, takeOperationTurns(limits.operationsPerClient), answer];
}

function guard(token: string | undefined): RequestHandler {
  return (request, _response, next) => {
    if (mayUseGraphql(request, token)) return next();
    throw forbidden(token);
  };
}

function ofPosts(handler: RequestHandler): RequestHandler {
  return (request, response, next) => (request.method === "POST" ? handler(request, response, next) : next());
}

const requireOneOperation: RequestHandler = (request, _response, next) => {
  const body = request.body as unknown;
  if (Array.isArray(body)) throw invalidArgument("a request holds one operation: send the others by themselves");
  if (typeof body !== "object" || body === null || !("query" in body) || typeof body.query !== "string") {
    throw invalidContent("query", "the text of a GraphQL document");
  }
  next();
};

/**
 * Masks the errors of every result, where it is known whose it is. (Whatever the libraries would mask earlier, they tell
 * of errors alone; and an AsyncLocalStorage beside them slows down all that the process does, from its first use on.)
 */
function maskPlugin(log: Logger): Plugin {
  return {
    onResultProcess: ({ result, setResult, serverContext }) => {
      const { requestId } = serverContext as unknown as Asked;
      const mask = (one: ExecutionResult): ExecutionResult =>
        one.errors ? { ...one, errors: one.errors.map((error) => maskError(error, { log, requestId })) } : one;
      if (Array.isArray(result)) setResult(result.map(mask));
      else setResult(isAsyncIterable(result) ? mapAsyncIterator(result, mask) : mask(result));
    },
  };
}
