import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import type { PublicNetworkName } from "../../catapult/network/public-networks.js";
import { createContext, type Services } from "../../schema/graph/context.js";
import { ChainTag } from "../../schema/services/chain-tag.js";
import { ApiError } from "../../schema/services/errors.js";
import type { Access } from "../access/access.js";
import { serveSignIn } from "../access/sign-in.js";
import type { Gates } from "../clients/gates.js";
import { limitRate, type RateLimit } from "../clients/rate-limit.js";
import { type TurnTaker, taken } from "../clients/request-turns.js";
import { behaviourOf, type CompatibilityMode } from "../compatibility/compatibility.js";
import { referenceUnknownPath } from "../compatibility/reference-messages.js";
import { DASHBOARD_PATH, serveDashboard } from "../dashboard/dashboard.js";
import type { EventStreams } from "../events/event-streams.js";
import { GRAPHQL_PATH, serveGraphql } from "../graphql/graphql.js";
import type { GraphqlLimits } from "../graphql/limits.js";
import { checkRequest } from "../http/check-request.js";
import { cors } from "../http/cors.js";
import { sendFailure } from "../http/failure-answer.js";
import { jsonBody } from "../http/json-body.js";
import type { Metrics } from "../http/metrics.js";
import { otherMethods } from "../http/other-methods.js";
import { followRequests, setRoute } from "../http/requests.js";
import { ResponseCache } from "../http/response-cache.js";
import { checkMeshPath, serveMesh } from "../mesh/mesh.js";
import { MessageExampleReader } from "../messages/message-examples.js";
import { REFERENCE_PATH } from "../reference/pages.js";
import { serveReferenceFiles } from "../reference/reference.js";
import { describeServer } from "./descriptions.js";
import { GetRoutes } from "./get-routes.js";
import { routeHandler } from "./handler.js";
import { ExampleReader } from "./rest-examples.js";
import { type GetRoute, restRequests } from "./rest-requests.js";
import type { RouteHandler } from "./route-request.js";
import type { Route } from "./routes/route.js";
import { routesIn } from "./routes/table.js";

export interface AppOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Version of this program. */
  readonly version: string;
  /** Content of `/node/metadata`. */
  readonly nodeMetadata: Readonly<Record<string, unknown>>;
  /** Which behaviour applies where the specification and catapult-rest differ. */
  readonly compatibility: CompatibilityMode;
  /** Maximum size of a body, in bytes. */
  readonly bodyLimitBytes: number;
  /** Size of the response cache, in bytes; 0 = no cache. */
  readonly responseCacheBytes: number;
  /** Path of the Mesh API; disabled if absent. */
  readonly meshPath?: string | undefined;
  /** Public network for which the Mesh API builds transactions without a database. */
  readonly meshNetwork?: PublicNetworkName | undefined;
  /** Who may use `/graphql` and `/dashboard`. */
  readonly access: Access;
  /** IP addresses and networks of proxies that report their clients. */
  readonly trustedProxies: readonly string[];
  /** Whether the paths for operators are on this port: `/graphql`, `/dashboard`, `/metrics` and `/ready`. */
  readonly servesOperators: boolean;
  readonly graphqlLimits?: Partial<GraphqlLimits> | undefined;
  readonly gates: Gates;
  readonly streams: EventStreams;
  /** Rate limit per client; unlimited if absent. */
  readonly rateLimit?: RateLimit | undefined;
}

/** Answers in parts that are sent to one client at one time: two at once take 25 MiB more, measured by `npm run attack`. */
const LARGE_ANSWERS_OF_ONE_CLIENT = 1;
/** Fewer than its concurrent requests, so that others of the same client are answered meanwhile. */
const EXPORTS_OF_ONE_CLIENT = 2;
const QUOTED_PATH_LENGTH = 100;
/** Routes that move to the port for operators, if there is one. */
const OPERATOR_PATHS: ReadonlySet<string> = new Set(["/metrics", "/ready"]);

export interface App {
  /** Every route of the table, `/graphql`, and the errors of all. */
  readonly express: Express;
  /** Serves a request: with a route's handler directly, or through express. */
  readonly serve: TurnTaker;
}

/**
 * The application of a port.
 * @throws Error when a route's operation does not match the schema
 */
export function createApp(options: AppOptions): App {
  const { schema, services, log, metrics, version } = options;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // Errors beyond our own error handler must not show a stack trace.
  app.set("env", "production");
  app.set("query parser", false);
  app.enable("case sensitive routing");
  // An empty path segment is significant: /blocks/ is not /blocks.
  app.enable("strict routing");
  const follow = followRequests(log, metrics);
  app.use((request, response, next) => {
    response.setHeader("X-Request-Id", follow(request, response));
    next();
  }, checkRequest);
  const { access, bodyLimitBytes, gates } = options;
  const largeBodies = gates.create({ perClient: 1 });
  const limited = options.rateLimit ? [limitRate(options.rateLimit)] : [];
  if (options.servesOperators) {
    const before = (path: string) => [marked(path), ...limited];
    const graphql = {
      schema,
      services,
      log,
      access,
      bodyLimitBytes,
      gates,
      largeBodies,
      limits: options.graphqlLimits,
    };
    serveGraphql(app, graphql, before(GRAPHQL_PATH));
    serveDashboard(app, access, before(DASHBOARD_PATH));
    serveSignIn(app, access, options.trustedProxies, before);
  }
  app.use(cors, ...limited);

  const { compatibility } = options;
  const behaviour = behaviourOf(compatibility);
  const routes = routesIn(behaviour);
  const { meshPath, meshNetwork } = options;
  if (meshPath !== undefined) {
    checkMeshPath(meshPath, [...routes.map(({ path }) => path), GRAPHQL_PATH, DASHBOARD_PATH, REFERENCE_PATH, "/ws"]);
    serveMesh(app, { path: meshPath, offlineNetwork: meshNetwork, schema, services, log, bodyLimitBytes, largeBodies });
  }
  const served = options.servesOperators ? routes : routes.filter(({ path }) => !OPERATOR_PATHS.has(path));
  const descriptions = describeServer({
    routes: served,
    version,
    behaviour,
    restExamples: new ExampleReader(schema, services),
    messageExamples: new MessageExampleReader(schema, createContext(services)),
  });
  serveReferenceFiles(app, version, [marked(`${REFERENCE_PATH}/{file}`)]);
  const handlerOptions = {
    schema,
    services,
    // The same URL has another response in the other mode.
    chainTag: new ChainTag(services.db, `${version}-${compatibility}`),
    cache: new ResponseCache(options.responseCacheBytes),
    facts: {
      version,
      servesOperators: options.servesOperators,
      descriptions,
      metrics: () => metrics.print(),
      nodeMetadata: options.nodeMetadata,
    },
    behaviour,
    streams: options.streams,
    largeAnswers: gates.create({ perClient: LARGE_ANSWERS_OF_ONE_CLIENT }),
    exports: gates.create({ perClient: EXPORTS_OF_ONE_CLIENT }),
  };
  const getRoutes = new GetRoutes<GetRoute>();
  for (const path of literalFirst(served.map((route) => route.path))) {
    const routesOfPath = served.filter((route) => route.path === path);
    const router = app.route(expressPath(path));
    router.all(marked(path));
    for (const route of routesOfPath) {
      const handle = routeHandler(route, handlerOptions);
      const handlers = [
        ...(takesBody(route) ? jsonBody(bodyLimitBytes, largeBodies, behaviour) : []),
        inExpress(handle),
      ];
      // A stream sets headers that may be removed again, as only express allows.
      if (route.method === "GET" && !("stream" in route.work)) getRoutes.add(path, { path, handle });
      if (route.method === "GET") router.get(...handlers);
      else if (route.method === "POST") router.post(...handlers);
      else router.put(...handlers);
    }
    const methods = routesOfPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    router.all(otherMethods(methods, behaviour.usesReferenceMessages));
  }

  app.use((request) => {
    if (behaviour.usesReferenceMessages) throw referenceUnknownPath(request.path);
    throw new ApiError("ResourceNotFound", `there is no path ${request.path.slice(0, QUOTED_PATH_LENGTH)}: see /docs`);
  });
  app.use(failureHandler(log));
  return {
    express: app,
    serve: restRequests({ ...handlerOptions, routes: getRoutes, app, follow, log, rateLimit: options.rateLimit }),
  };
}

/** The handler of a route for requests that came through express, in their turn. */
function inExpress(handle: RouteHandler): RequestHandler {
  return (request, response) => {
    const path = request.params as Record<string, string>;
    return handle({ request, response, path, body: request.body as unknown, turn: taken });
  };
}

/** Each path once; literal segments come before parameters (`/a/b` before `/a/{c}`). */
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

/** Sets the route of the response. */
function marked(path: string): RequestHandler {
  return (_request, response, next) => {
    setRoute(response, path);
    next();
  };
}

/** Express recognizes an error handler by its four parameters. */
function failureHandler(log: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => sendFailure(error, request, response, log);
}
