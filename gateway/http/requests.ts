import { randomBytes } from "node:crypto";
import type { RequestHandler, Response } from "express";
import type { Logger } from "pino";
import type { Metrics } from "./metrics.js";

const PROCESS_ID_BYTES = 6;

/** Gives every request an id, and records its outcome: in the log at level debug, and in the metrics. */
export function followRequests(log: Logger, metrics: Metrics): RequestHandler {
  const process = randomBytes(PROCESS_ID_BYTES).toString("hex");
  let count = 0;
  return (request, response, next) => {
    count += 1;
    const requestId = `${process}-${count.toString(36)}`;
    response.setHeader("X-Request-Id", requestId);
    const start = performance.now();
    const { method, path } = request;
    response.once("close", () => {
      const ms = performance.now() - start;
      const { statusCode: status, writableFinished: isAnswered } = response;
      metrics.observe({ method, route: routeOf(response), status, ms });
      log.debug({ requestId, method, path, status, ms, isAnswered }, "request");
    });
    next();
  };
}

/** The id of this response's request. */
export function requestIdOf(response: Response): string {
  return String(response.getHeader("X-Request-Id") ?? "");
}

/** Sets the route of a response, as in the route table: metrics have one series per route, not per path. */
export function setRoute(response: Response, path: string): void {
  response.locals.route = path;
}

function routeOf(response: Response): string {
  return typeof response.locals.route === "string" ? response.locals.route : "(none)";
}
