import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { ChainTag } from "../../schema/services/chain-tag.js";
import { type RateLimit, tooManyRequests } from "../clients/rate-limit.js";
import { alwaysInTurn, type Turn, type TurnTaker } from "../clients/request-turns.js";
import { checkHeaders } from "../http/check-request.js";
import { CORS_HEADERS } from "../http/cors.js";
import { sendFailure } from "../http/failure-answer.js";
import type { FollowRequest } from "../http/requests.js";
import type { CachedAnswer, ResponseCache } from "../http/response-cache.js";
import { addHeader, collectHeaders } from "../http/response-head.js";
import { answerFromCache, turnForTag } from "./cached-answers.js";
import type { Found, GetRoutes } from "./get-routes.js";
import type { RouteHandler } from "./route-request.js";

/** A route with method GET. */
export interface GetRoute {
  /** As in the route table. */
  readonly path: string;
  readonly handle: RouteHandler;
}

export interface RestRequestsOptions {
  readonly routes: GetRoutes<GetRoute>;
  /** Serves every other request. */
  readonly app: RequestListener;
  readonly follow: FollowRequest;
  readonly log: Logger;
  readonly rateLimit: RateLimit | undefined;
  readonly cache: ResponseCache;
  readonly chainTag: ChainTag;
}

/** A request for a route, with its response. */
interface Exchange {
  readonly found: Found<GetRoute>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly turn: Turn;
}

/**
 * Serves requests to read, with a plain path, directly: the application's own search for their route costs as much as
 * all else. What the application does before a route is done here too, in the same order.
 */
export function restRequests(options: RestRequestsOptions): TurnTaker {
  const { routes, app, follow, log, rateLimit, cache, chainTag } = options;
  const others = alwaysInTurn(app);

  const fail = (error: unknown, { request, response }: Exchange) => sendFailure(error, request, response, log);

  /** @throws ApiError for a request that is rejected whatever its route */
  const begin = ({ found, request, response }: Exchange): void => {
    const requestId = follow(request, response, found.entry.path);
    collectHeaders(response, ["X-Request-Id", requestId, ...CORS_HEADERS]);
    checkHeaders(request);
    const seconds = rateLimit?.take(request);
    if (seconds === undefined) return;
    addHeader(response, "Retry-After", String(seconds));
    throw tooManyRequests(seconds);
  };

  const handle = async (exchange: Exchange): Promise<void> => {
    const { found, request, response, turn } = exchange;
    try {
      await found.entry.handle({ request, response, path: found.parameters, turn });
    } catch (error) {
      await fail(error, exchange);
    }
  };

  /** Requests that share a read of the head are answered together after it, without promises for each of them. */
  const serveCached = (exchange: Exchange, readsState: boolean): void => {
    const { request, response, turn } = exchange;
    chainTag.whenCurrent(readsState, (error, tag) => {
      if (error !== undefined) return void fail(error, exchange);
      const cached = tag === undefined ? undefined : cache.get(request.url as string, tag);
      if (!cached) return void handle(exchange);
      try {
        answerFromCache(request, response, turn, cached)?.catch((failure: unknown) => fail(failure, exchange));
      } catch (failure) {
        void fail(failure, exchange);
      }
    });
  };

  const serve = (exchange: Exchange, cached: CachedAnswer | undefined): void => {
    const { request, turn } = exchange;
    try {
      begin(exchange);
    } catch (error) {
      void fail(error, exchange);
      return;
    }
    if (!cached) return void handle(exchange);
    const { readsState = false } = cached.answer;
    const waiting = turnForTag(request, turn);
    if (waiting) void waiting.then(() => serveCached(exchange, readsState));
    else serveCached(exchange, readsState);
  };

  /** The routes of cached responses. */
  const known = new WeakMap<CachedAnswer, Found<GetRoute>>();
  const find = (url: string, cached: CachedAnswer | undefined): Found<GetRoute> | undefined => {
    const found = (cached && known.get(cached)) ?? routes.find(url);
    if (cached && found) known.set(cached, found);
    return found;
  };

  return (request, response, turn) => {
    const { method, url = "" } = request;
    const cached = method === "GET" ? cache.peek(url) : undefined;
    const found = method === "GET" || method === "HEAD" ? find(url, cached) : undefined;
    if (found) serve({ found, request, response, turn }, cached);
    else others(request, response, turn);
  };
}
