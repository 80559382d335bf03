import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { type RateLimit, tooManyRequests } from "../clients/rate-limit.js";
import { alwaysInTurn, type Turn, type TurnTaker } from "../clients/request-turns.js";
import { checkHeaders } from "../http/check-request.js";
import { CORS_HEADERS } from "../http/cors.js";
import { sendFailure } from "../http/failure-answer.js";
import type { FollowRequest } from "../http/requests.js";
import { addHeader, collectHeaders } from "../http/response-head.js";
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
}

/**
 * Serves requests to read, with a plain path, directly: the application's own search for their route costs as much as
 * all else. What the application does before a route is done here too, in the same order.
 */
export function restRequests({ routes, app, follow, log, rateLimit }: RestRequestsOptions): TurnTaker {
  const others = alwaysInTurn(app);
  const serve = async (
    { entry: { path, handle }, parameters }: Found<GetRoute>,
    request: IncomingMessage,
    response: ServerResponse,
    turn: Turn,
  ): Promise<void> => {
    const requestId = follow(request, response, path);
    collectHeaders(response, ["X-Request-Id", requestId, ...CORS_HEADERS]);
    try {
      checkHeaders(request);
      const seconds = rateLimit?.take(request);
      if (seconds !== undefined) {
        addHeader(response, "Retry-After", String(seconds));
        throw tooManyRequests(seconds);
      }
      await handle({ request, response, path: parameters, turn });
    } catch (error) {
      await sendFailure(error, request, response, log);
    }
  };
  return (request, response, turn) => {
    const isRead = request.method === "GET" || request.method === "HEAD";
    const found = isRead ? routes.find(request.url ?? "") : undefined;
    if (found) void serve(found, request, response, turn);
    else others(request, response, turn);
  };
}
