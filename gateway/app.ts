import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { Services } from "../schema/context.js";
import { ApiError } from "../schema/errors.js";
import { ChainTag } from "./chain-tag.js";
import { cors } from "./cors.js";
import { DASHBOARD_PATH, dashboard } from "./dashboard.js";
import { renderDocsPage } from "./docs-page.js";
import { describeFailure } from "./errors.js";
import { GRAPHQL_PATH, graphqlHandlers } from "./graphql/graphql.js";
import type { GraphqlLimits } from "./graphql/limits.js";
import { routeHandler } from "./handler.js";
import { jsonBody } from "./json-body.js";
import type { Metrics } from "./metrics.js";
import { describeRoutes } from "./openapi.js";
import { limitRate, type RateLimit } from "./rate-limit.js";
import { followRequests, requestIdOf, setRoute } from "./requests.js";
import { ResponseCache } from "./response-cache.js";
import type { Route } from "./routes/route.js";
import { routes } from "./routes/table.js";
import { send } from "./send.js";

export interface AppOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Version of this program. */
  readonly version: string;
  /** What `/node/metadata` answers. */
  readonly nodeMetadata: Readonly<Record<string, unknown>>;
  /** What happens with a `pageSize` outside of its range: it is refused, or becomes the nearest one within. */
  readonly pageSizeOutOfRange: "refuse" | "clamp";
  /** Largest body, in bytes. */
  readonly bodyLimitBytes: number;
  /** Answers kept until the head moves, in bytes; 0 for none. */
  readonly responseCacheBytes: number;
  readonly graphqlToken?: string | undefined;
  readonly graphqlLimits?: Partial<GraphqlLimits> | undefined;
  /** How often one client may ask; none for as often as he likes. */
  readonly rateLimit?: RateLimit | undefined;
}

const QUOTED_PATH_LENGTH = 100;

/**
 * The express application: every route of the table, `/graphql`, and the errors of all.
 * @throws Error when a route's operation does not fit the schema
 */
export function createApp(options: AppOptions): Express {
  const { schema, services, log, metrics, version } = options;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  app.enable("case sensitive routing");
  // An empty part of a path is no part left out: /blocks/ is not /blocks.
  app.enable("strict routing");
  app.use(followRequests(log, metrics));
  const { graphqlToken: token, bodyLimitBytes } = options;
  const limited = options.rateLimit ? [limitRate(options.rateLimit)] : [];
  const limits = options.graphqlLimits;
  const graphql = graphqlHandlers({ schema, services, log, token, bodyLimitBytes, limits });
  app.all(GRAPHQL_PATH, marked(GRAPHQL_PATH), ...limited, ...graphql);
  app.get([DASHBOARD_PATH, `${DASHBOARD_PATH}/:file`], marked(DASHBOARD_PATH), ...limited, dashboard(token));
  app.use(cors, ...limited);

  const handlerOptions = {
    schema,
    services,
    chainTag: new ChainTag(services.db, version),
    cache: new ResponseCache(options.responseCacheBytes),
    facts: {
      version,
      openApi: JSON.stringify(describeRoutes(routes, version)),
      docsPage: renderDocsPage(routes, version),
      metrics: () => metrics.print(),
      nodeMetadata: options.nodeMetadata,
    },
    arguments: { clamp: options.pageSizeOutOfRange === "clamp" },
  };
  for (const path of literalFirst(routes.map((route) => route.path))) {
    const routesOfPath = routes.filter((route) => route.path === path);
    const router = app.route(expressPath(path));
    router.all(marked(path));
    for (const route of routesOfPath) {
      const handlers = [...(takesBody(route) ? jsonBody(bodyLimitBytes) : []), routeHandler(route, handlerOptions)];
      if (route.method === "GET") router.get(...handlers);
      else if (route.method === "POST") router.post(...handlers);
      else router.put(...handlers);
    }
    router.all(otherMethods(routesOfPath));
  }

  app.use((request) => {
    throw new ApiError("ResourceNotFound", `there is no path ${request.path.slice(0, QUOTED_PATH_LENGTH)}: see /docs`);
  });
  app.use(failureHandler(log));
  return app;
}

/** Each path once; what names its parts comes before what takes any part there (`/a/b` before `/a/{c}`). */
function literalFirst(paths: readonly string[]): string[] {
  const parameters = (path: string) => path.split("{").length;
  return [...new Set(paths)].sort((left, right) => parameters(left) - parameters(right));
}

/** Express writes `:height` where OpenAPI writes `{height}`. */
function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function takesBody(route: Route): boolean {
  return Object.values(route.arguments).some(({ place }) => place === "body");
}

/** Notes which route answers. */
function marked(path: string): RequestHandler {
  return (_request, response, next) => {
    setRoute(response, path);
    next();
  };
}

/** Answers OPTIONS, and refuses the methods that a path has not. */
function otherMethods(routesOfPath: readonly Route[]): RequestHandler {
  const methods = routesOfPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  const allow = [...methods, "OPTIONS"].join(", ");
  return (request, response) => {
    response.setHeader("Allow", allow);
    if (request.method !== "OPTIONS") {
      throw new ApiError("MethodNotAllowed", `${request.method} is not allowed here, but ${allow}`);
    }
    response.statusCode = 204;
    response.end();
  };
}

/** Express knows by the four parameters that this handles errors. */
function failureHandler(log: Logger): ErrorRequestHandler {
  return async (error, request, response, _next) => {
    const { status, body } = describeFailure(error, requestIdOf(response), log);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.removeHeader("ETag");
    response.removeHeader("Cache-Control");
    await send(request, response, status, body);
  };
}
