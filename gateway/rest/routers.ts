import { type ErrorRequestHandler, type RequestHandler, Router } from "express";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import { ApiError } from "../../schema/errors/errors.js";
import type { Services } from "../../schema/graph/context.js";
import type { Access } from "../access/access.js";
import { serveSignIn } from "../access/sign-in.js";
import type { ClientLimits } from "../clients/client-limit.js";
import { type Behaviour, type CompatibilityMode, selectBehaviour } from "../compatibility/compatibility.js";
import type { EventStreams } from "../events/event-streams.js";
import type { CompiledQueries } from "../graphql/compiled-queries.js";
import { GRAPHQL_PATH, serveGraphql } from "../graphql/graphql.js";
import { exchangeOf, firstSegment, markRoute } from "../http/exchange.js";
import { jsonBody } from "../http/json-body.js";
import type { Metrics } from "../http/metrics.js";
import { otherMethods } from "../http/other-methods.js";
import type { ResponseCache } from "../http/response-cache.js";
import { WEBSOCKET_PATH } from "../websocket/websocket.js";
import { describeMessages, serversAt } from "./asyncapi.js";
import type { Extension } from "./extension.js";
import { type HandlerOptions, routeHandler } from "./handler.js";
import { describeRoutes } from "./openapi.js";
import type { JsonSchema } from "./route/argument-types.js";
import type { Deployment, Route, ServerFacts } from "./route/route.js";
import { routesIn } from "./routes/table.js";

export interface RoutersOptions {
  readonly schema: GraphQLSchema;
  readonly services: Services;
  /** The services of operations of users. */
  readonly graphqlServices: Services;
  readonly queries: CompiledQueries;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Version of this program. */
  readonly version: string;
  /** Content of `/node/metadata`. */
  readonly nodeMetadata: Readonly<Record<string, unknown>>;
  /** Content of `deployment` in `/node/server`. */
  readonly deployment: Deployment;
  /** Which behaviour applies where the specification and catapult-rest differ. */
  readonly compatibility: CompatibilityMode;
  readonly cache: ResponseCache;
  /** Interfaces of other rooms. */
  readonly extensions: readonly Extension[];
  /** Who may use `/graphql` and `/explorer`. */
  readonly access: Access;
  /** Whether the paths for operators are on this port: `/graphql`, `/explorer`, `/metrics` and `/ready`. */
  readonly servesOperators: boolean;
  readonly clientLimits: ClientLimits;
  readonly streams: EventStreams;
}

/** Answers in parts that are sent to one client at one time: two at once take 25 MiB more, measured by `npm run attack`. */
const LARGE_ANSWERS_OF_ONE_CLIENT = 1;
/** Fewer than its concurrent requests, so that others of the same client are answered meanwhile. */
const EXPORTS_OF_ONE_CLIENT = 2;
const TOO_MANY_EXPORTS = "too many exports of yours are in progress: wait for one to end";
/** Routes that move to the port for operators, if there is one. */
const OPERATOR_PATHS: ReadonlySet<string> = new Set(["/metrics", "/ready"]);

/** Everything that a port serves, by the first segments of the paths. */
export class Routers {
  readonly bySegment = new Map<string, RequestHandler>();
  /** Handlers of errors that have a form of their own, by the path below which they have it. */
  readonly failureHandlers = new Map<string, ErrorRequestHandler>();
  readonly #behaviour: Behaviour;

  /** @throws Error when an extension cannot be served */
  constructor(options: RoutersOptions) {
    const { access, servesOperators } = options;
    this.#behaviour = selectBehaviour(options.compatibility);
    const routes = routesIn(this.#behaviour).filter(({ path }) => servesOperators || !OPERATOR_PATHS.has(path));
    if (servesOperators) {
      serveGraphql(this.#router(GRAPHQL_PATH), { ...options, services: options.graphqlServices });
      serveSignIn((path) => this.#router(path), access);
    }
    const extensions = options.extensions.filter(({ isForOperators }) => servesOperators || !isForOperators);
    const paths = [...routes.map(({ path }) => path), GRAPHQL_PATH, WEBSOCKET_PATH];
    for (const extension of extensions) {
      const otherPaths = [...paths, ...extensions.filter((one) => one !== extension).map(({ path }) => path)];
      const tools = { ...options, otherPaths };
      const failureHandler = extension.serve(this.#router(extension.path), tools);
      if (failureHandler) this.failureHandlers.set(extension.path, failureHandler);
    }
    this.#router(WEBSOCKET_PATH)
      .route(WEBSOCKET_PATH)
      .get(requireUpgrade)
      .all(otherMethods(["GET"]));
    this.#serveRoutes(routes, this.#handlerOptions(routes, options));
  }

  /** Whether errors are in the words of catapult-rest. */
  get usesReferenceMessages(): boolean {
    return this.#behaviour.usesReferenceMessages;
  }

  /** The router of the first segment of a path. An empty segment is significant: /blocks/ is not /blocks. */
  #router(path: string): Router {
    const segment = firstSegment(path);
    const router = (this.bySegment.get(segment) as Router | undefined) ?? Router({ caseSensitive: true, strict: true });
    this.bySegment.set(segment, router);
    return router;
  }

  #serveRoutes(routes: readonly Route[], handlerOptions: HandlerOptions): void {
    for (const path of literalFirst(routes.map((route) => route.path))) {
      const routesOfPath = routes.filter((route) => route.path === path);
      const router = this.#router(path).route(expressPath(path));
      router.all(markRoute(path));
      for (const route of routesOfPath) {
        const handlers = [...(takesBody(route) ? jsonBody(this.#behaviour) : []), routeHandler(route, handlerOptions)];
        if (route.method === "GET") router.get(...handlers);
        else if (route.method === "POST") router.post(...handlers);
        else router.put(...handlers);
      }
      const methods = routesOfPath.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
      router.all(otherMethods(methods, this.usesReferenceMessages));
    }
  }

  /** Created when first requested: it takes 0.1 s. */
  #describe(routes: readonly Route[], version: string): ServerFacts["descriptions"] {
    let [openApi, messages]: [string?, JsonSchema?] = [];
    return {
      openApi: () => (openApi ??= JSON.stringify(describeRoutes(routes, version, this.#behaviour))),
      asyncApi: (origin) => {
        messages ??= describeMessages(version);
        return JSON.stringify({ ...messages, servers: serversAt(origin) });
      },
    };
  }

  #handlerOptions(routes: readonly Route[], options: RoutersOptions): HandlerOptions {
    const { schema, services, version, metrics, clientLimits, servesOperators, cache, streams } = options;
    const { nodeMetadata, deployment } = options;
    return {
      schema,
      services,
      cache,
      facts: {
        version,
        servesOperators,
        descriptions: this.#describe(routes, version),
        metrics: () => metrics.print(),
        nodeMetadata,
        deployment,
      },
      behaviour: this.#behaviour,
      streams,
      largeAnswers: clientLimits.create("largeAnswers", { perClient: LARGE_ANSWERS_OF_ONE_CLIENT }),
      exports: clientLimits.create("exports", {
        perClient: EXPORTS_OF_ONE_CLIENT,
        waiting: 0,
        tooMany: TOO_MANY_EXPORTS,
      }),
    };
  }
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

/** Answers requests for `/ws` that ask for no WebSocket. */
const requireUpgrade: RequestHandler = (_request, response) => {
  exchangeOf(response).route = WEBSOCKET_PATH;
  response.setHeader("Connection", "Upgrade, close").setHeader("Upgrade", "websocket");
  throw new ApiError("UpgradeRequired", `${WEBSOCKET_PATH} serves WebSocket connections only`);
};

function takesBody(route: Route): boolean {
  return Object.values(route.arguments).some(({ location }) => location === "body");
}
