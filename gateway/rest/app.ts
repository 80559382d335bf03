import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type Express, type RequestHandler } from "express";
import type { Logger } from "pino";
import { ApiError, invalidContent } from "../../schema/errors/errors.js";
import type { RateLimit } from "../../schema/limits/rate-limit.js";
import type { ClientLimits } from "../clients/client-limit.js";
import { type Clients, tooManyRequests } from "../clients/clients.js";
import { referenceUnknownPath } from "../compatibility/reference-messages.js";
import { failureHandler } from "../http/errors.js";
import { exchangeOf, exchanges, takeSlot } from "../http/exchange.js";
import { isPreflight, selectHeaders, selectPreflightHeaders, sendPreflight, VARY_OF_PAGES } from "../http/headers.js";
import type { Metrics } from "../http/metrics.js";
import { sendMissingPage, wantsPage } from "../http/plain-page.js";
import { invalidTarget } from "../http/request-target.js";
import { type CachedResponse, type ResponseCache, sendCached } from "../http/response-cache.js";
import type { Routers } from "./routers.js";

export interface AppOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly clients: Clients;
  readonly clientLimits: ClientLimits;
  /** Rate limit per client; unlimited if absent. */
  readonly rateLimit: RateLimit | undefined;
  readonly cache: ResponseCache;
  readonly routers: Pick<Routers, "bySegment" | "failureHandlers" | "usesReferenceMessages">;
}

/** Slots per client: fewer than half of the connections to the database, so that others' requests find one. */
const REQUESTS_OF_ONE_CLIENT = 4;
/** Queued requests per client; further ones are answered with 429. */
const WAITING_OF_ONE_CLIENT = 200;
/** Of them, with large bodies. */
const LARGE_BODIES_OF_ONE_CLIENT = 32;
/**
 * Larger cached answers need a slot, in bytes: over TLS, each that is sent to a client that does not read it is copied
 * as a whole.
 */
const SMALL_BYTES = 65_536;
/** Longer lists of tags and encodings take a while to parse, in characters. */
const SHORT_LISTS = 500;
const QUOTED_PATH_LENGTH = 100;

/** The application of a port: what every request goes through, whatever its method, its headers or its form. */
export function createApp({ log, metrics, clients, clientLimits, rateLimit, cache, routers }: AppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // Errors beyond our own error handler must not show a stack trace.
  app.set("env", "production");
  app.set("query parser", false);

  const begin = exchanges(log, metrics, (request) => clients.keyOf(request));
  app.use((request, response, next) => {
    // 1. Request id and headers.
    const { requestId, client, segment } = begin(request, response);
    const headers = { "X-Request-Id": requestId, ...selectHeaders(segment) };
    // A page waits for this question of its browser before each request, and cannot read why it is rejected.
    if (isPreflight(request)) return sendPreflight(response, { ...headers, ...selectPreflightHeaders(segment) });
    // 2. Rate limit of the client.
    const rejection = rejectionBy(rateLimit, client, response) ?? invalidTarget(request) ?? invalidExpectation(request);
    // 3. Cached responses: most requests end here.
    const answer = rejection ? undefined : cache.find(request);
    if (answer && isCheap(request, answer)) return sendCached(request, response, answer, headers);
    response.setHeaders(new Map(Object.entries(headers)));
    if (rejection) throw rejection;
    next();
  });
  // 4. A slot for the client.
  const requests = clientLimits.create("requests", {
    perClient: REQUESTS_OF_ONE_CLIENT,
    waiting: WAITING_OF_ONE_CLIENT,
    tooMany: `more than ${WAITING_OF_ONE_CLIENT} requests from your address wait: send fewer at once`,
  });
  const largeBodies = clientLimits.create("largeBodies", {
    perClient: 1,
    waiting: LARGE_BODIES_OF_ONE_CLIENT,
    tooMany: `more than ${LARGE_BODIES_OF_ONE_CLIENT} large bodies from your address wait: send fewer at once`,
  });
  const connections = clientLimits.create("connections", { perClient: 1 });
  app.use(takeSlot({ requests, largeBodies, connections }));
  // 5. The router of the first path segment, and 6. its handlers: see routers.ts and handler.ts.
  app.use((request, response, next) => {
    // Cached while the request waited, or large.
    const answer = cache.find(request);
    if (answer) return sendCached(request, response, answer);
    const router = routers.bySegment.get(exchangeOf(response).segment);
    return router ? router(request, response, next) : next();
  });
  app.use(answerAsterisk, (request, response) => {
    response.setHeader("Vary", VARY_OF_PAGES);
    if (wantsPage(request)) return sendMissingPage(request, response);
    if (routers.usesReferenceMessages) throw referenceUnknownPath(request.path);
    throw new ApiError("ResourceNotFound", `there is no path ${request.path.slice(0, QUOTED_PATH_LENGTH)}: see /docs`);
  });
  // 7. The error handler; an extension may have a form of its own for all errors below its path.
  for (const [path, handler] of routers.failureHandlers) app.use(path, handler);
  app.use(failureHandler(log));
  return app;
}

/** The error for a request above the limit, with 429 and Retry-After. */
function rejectionBy(limit: RateLimit | undefined, client: string, response: ServerResponse): ApiError | undefined {
  const seconds = limit?.take(client);
  if (seconds === undefined) return undefined;
  response.setHeader("Retry-After", seconds);
  return tooManyRequests(seconds);
}

/** Valid values of `Expect`, as matched by Node. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
function invalidExpectation({ headers }: IncomingMessage): ApiError | undefined {
  if (headers.expect === undefined || CONTINUE.test(headers.expect)) return undefined;
  return new ApiError("ExpectationFailed", "the header Expect may be 100-continue only");
}

/** Answers `OPTIONS *`, which is about the whole server. */
const answerAsterisk: RequestHandler = (request, response, next) => {
  if (request.url !== "*") return next();
  if (request.method !== "OPTIONS") throw invalidContent("the request target", "a path");
  response.setHeader("Allow", "GET, HEAD, POST, PUT, OPTIONS");
  response.statusCode = 204;
  response.end();
};

function isCheap({ headers }: IncomingMessage, { body }: CachedResponse): boolean {
  const { "if-none-match": tags = "", "accept-encoding": encodings = "" } = headers;
  return body.length <= SMALL_BYTES && tags.length + encodings.length <= SHORT_LISTS;
}
