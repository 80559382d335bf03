import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Metrics } from "./metrics.js";

const PROCESS_ID_BYTES = 6;
const NO_ROUTE = "(none)";

/** Gives a request an id, and records its outcome: in the log at level debug, and in the metrics. @returns the id */
export type FollowRequest = (request: IncomingMessage, response: ServerResponse, route?: string) => string;

interface Followed {
  readonly requestId: string;
  readonly request: IncomingMessage;
  /** Express changes the URL while it routes a request. */
  readonly url: string;
  readonly start: number;
  route: string;
}

const FOLLOWED = Symbol("what is known about the request");

type FollowedResponse = ServerResponse & { [FOLLOWED]?: Followed };

/** @returns a function to be called once for each request, when it arrives */
export function followRequests(log: Logger, metrics: Metrics): FollowRequest {
  const process = `${randomBytes(PROCESS_ID_BYTES).toString("hex")}-`;
  let count = 0;
  // One function for all responses: a closure for each would be one more object to collect.
  function report(this: FollowedResponse): void {
    const { requestId, request, route, url, start } = this[FOLLOWED] as Followed;
    const ms = performance.now() - start;
    const { statusCode: status } = this;
    const { method = "" } = request;
    metrics.observe({ method, route, status, ms });
    if (!log.isLevelEnabled("debug")) return;
    const [path] = url.split("?", 1);
    log.debug({ requestId, method, path, status, ms, isAnswered: this.writableFinished }, "request");
  }
  return (request, response: FollowedResponse, route = NO_ROUTE) => {
    count += 1;
    const requestId = process + count.toString(36);
    response[FOLLOWED] = { requestId, request, url: request.url ?? "", start: performance.now(), route };
    response.on("close", report);
    return requestId;
  };
}

/** The id of this response's request. */
export function requestIdOf(response: FollowedResponse): string {
  return response[FOLLOWED]?.requestId ?? "";
}

/** The route of a response, as in the route table; undefined if it has none. */
export function routeOf(response: FollowedResponse): string | undefined {
  const route = response[FOLLOWED]?.route;
  return route === NO_ROUTE ? undefined : route;
}

/** Sets the route of a response, as in the route table: metrics have one series per route, not per path. */
export function setRoute(response: FollowedResponse, path: string): void {
  const followed = response[FOLLOWED];
  if (followed) followed.route = path;
}
