import type { RequestHandler } from "express";
import type { GraphQLSchema } from "graphql";
import { createYoga, type Plugin } from "graphql-yoga";
import type { Logger } from "pino";
import { createContext, type Services } from "../../schema/context.js";
import { jsonBody } from "../json-body.js";
import { forbidden, mayUseGraphql } from "./access.js";
import { type GraphqlLimits, graphqlLimits, limitRules } from "./limits.js";
import { maskError } from "./mask-error.js";

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
}

/** The express handlers of `/graphql`. Errors have the codes of REST in `extensions.code`. */
export function graphqlHandlers(options: GraphqlOptions): readonly RequestHandler[] {
  const { schema, services, log, token, bodyLimitBytes } = options;
  const yoga = createYoga({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    context: () => createContext(services),
    plugins: [limitPlugin(graphqlLimits)],
    parserAndValidationCache: true,
    landingPage: false,
    // A page from elsewhere shall not read what only local callers may.
    cors: false,
    graphiql: { title: "symbol-gateway" },
    renderGraphiQL: async (options) => {
      // 9 MB of page, without anything from elsewhere: loaded when somebody looks at it.
      const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
      return renderGraphiQL(options);
    },
    logging: {
      debug: () => undefined,
      info: () => undefined,
      warn: (...args: unknown[]) => log.warn({ args }, "graphql warning"),
      error: (...args: unknown[]) => log.error({ args }, "graphql error"),
    },
    maskedErrors: { maskError: (error) => maskError(error, log) },
  });
  // Only JSON: what pages from elsewhere can send without being asked is of other types.
  const readBody = jsonBody(bodyLimitBytes).map(ofPosts);
  return [guard(token), ...readBody, async (request, response) => yoga(request, response)];
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

function limitPlugin(limits: GraphqlLimits): Plugin {
  return {
    onParse: ({ setParseFn, parseFn }) =>
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens: limits.tokens })),
    onValidate: ({ addValidationRule }) => {
      for (const rule of limitRules(limits)) addValidationRule(rule);
    },
  };
}
