import type { ErrorRequestHandler, IRouter, RequestHandler } from "express";
import type { Logger } from "pino";
import { exchangeOf, handler } from "../gateway/http/exchange.js";
import { jsonBody } from "../gateway/http/json-body.js";
import { otherMethods } from "../gateway/http/other-methods.js";
import { send } from "../gateway/http/send.js";
import { reportDatabaseLost } from "../schema/errors/failure.js";
import { logLimited } from "../schema/limits/limited-log.js";
import type { Endpoint, EndpointTools } from "./standard/endpoint.js";
import { describeMeshError, MeshError, toMeshError } from "./standard/errors.js";
import { checkNetwork } from "./standard/network.js";
import { readMeshRequest } from "./standard/read-request.js";
import type { NetworkIdentifier } from "./standard/schemas.js";

export interface ServeOptions {
  /** The path of Mesh: one segment, such as `/mesh`, or `/`. */
  readonly path: string;
  readonly served: readonly Endpoint[];
  readonly log: Logger;
  readonly answerOf: (endpoint: Endpoint) => InTools;
}

/** Runs the work of a request with the tools of its endpoint. */
type InTools = <Result>(client: string, work: (tools: EndpointTools) => Promise<Result>) => Promise<Result>;

/** Adds the routes of endpoints. @returns the handler of all errors below the path; undefined at the root, where others are */
export function serveEndpoints(router: IRouter, options: ServeOptions): ErrorRequestHandler | undefined {
  const { path, served, log, answerOf } = options;
  const isRoot = path === "/";
  const failed = failureHandler(log);
  for (const one of served) {
    const route = isRoot ? one.path : `${path}${one.path}`;
    router
      .route(route)
      .all((_request, response, next) => {
        exchangeOf(response).route = route;
        next();
      })
      .post(...jsonBody(), endpointHandler(one, answerOf(one)), ...(isRoot ? [failed] : []))
      .all(otherMethods(["POST"]));
  }
  if (isRoot) return undefined;
  router.use(path, () => {
    throw new MeshError("noSuchEndpoint", { endpoints: served.map((one) => one.path) });
  });
  return failed;
}

function endpointHandler({ request: schema, answer }: Endpoint, inTools: InTools): RequestHandler {
  return handler(async (request, response) => {
    const read = readMeshRequest(schema, request.body) as { readonly network_identifier?: NetworkIdentifier };
    const body = await inTools(exchangeOf(response).client, async (tools) => {
      if (read.network_identifier) checkNetwork(read.network_identifier, tools.network);
      return answer(read as never, tools);
    });
    await send(request, response, 200, JSON.stringify(body));
  });
}

/** Express recognizes an error handler by its four parameters. */
function failureHandler(log: Logger): ErrorRequestHandler {
  return async (error, request, response, _next) => {
    const failure = toMeshError(error);
    const { requestId, client, connection } = exchangeOf(response);
    if (connection.signal.aborted) return;
    const isOurs = failure.entry === "internalError" || failure.entry === "unavailable";
    const { entry, cause } = failure;
    if (isOurs && !reportDatabaseLost(log, cause, { requestId }))
      logLimited(log, client, { requestId, error: entry, err: cause ?? failure }, "Request failed");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, body } = describeMeshError(failure, requestId);
    await send(request, response, status, JSON.stringify(body));
  };
}
