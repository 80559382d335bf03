import { Router } from "express";
import type { Logger } from "pino";
import { ClientLimits } from "../gateway/clients/client-limit.js";
import { Clients } from "../gateway/clients/clients.js";
import { firstSegment } from "../gateway/http/exchange.js";
import { HttpPort } from "../gateway/http/http-port.js";
import { Metrics } from "../gateway/http/metrics.js";
import { ResponseCache } from "../gateway/http/response-cache.js";
import { defaultGatewayLimits } from "../gateway/limits.js";
import { createApp } from "../gateway/rest/app.js";
import { endpoints } from "./endpoints.js";
import { serveEndpoints } from "./serve.js";
import { MeshError } from "./standard/errors.js";
import type { NetworkFacts } from "./standard/network.js";

export interface OfflineMeshOptions {
  readonly network: NetworkFacts;
  /** The path of Mesh: one segment, such as `/mesh`, or `/`. */
  readonly path: string;
  /** On 127.0.0.1; 0 = any free port. */
  readonly port: number;
  /** The version of the program, such as `1.2.3`. */
  readonly version: string;
  readonly log: Logger;
}

/** The first segments of the paths of all endpoints. */
const splitSegments = (path: string) =>
  path === "/" ? endpoints.map((one) => firstSegment(one.path)) : [firstSegment(path)];

/** Keys are where an offline Mesh runs: it is for programs of the same machine. */
const HOST = "127.0.0.1";
const STREAMS_PER_CLIENT = 1;

/**
 * Serves the endpoints of Mesh that need neither a database nor a node, with the facts of a network; all others answer
 * with the error `offline`.
 * @throws Error when it cannot listen
 */
export async function startOfflineMesh(options: OfflineMeshOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { path, log, network } = options;
  const ask = async () => {
    throw new MeshError("offline");
  };
  const router = Router({ caseSensitive: true, strict: true });
  const tools = { network, ask, askNow: ask };
  const failureHandler = serveEndpoints(router, {
    path,
    served: endpoints,
    log,
    answerOf: () => (_client, work) => work(tools),
  });
  const clients = new Clients([], () => undefined);
  const app = createApp({
    log,
    metrics: new Metrics(options.version),
    clients,
    clientLimits: new ClientLimits(),
    rateLimit: undefined,
    cache: new ResponseCache(0),
    routers: {
      bySegment: new Map(splitSegments(path).map((segment) => [segment, router])),
      failureHandlers: new Map(failureHandler ? [[path, failureHandler]] : []),
      usesReferenceMessages: false,
    },
  });
  const port = new HttpPort({
    app,
    log,
    rateLimit: undefined,
    clients,
    streamsPerClient: STREAMS_PER_CLIENT,
    tls: undefined,
    requestTimeoutMs: defaultGatewayLimits.requestTimeoutMs,
  });
  const listening = await port.listen(HOST, options.port);
  log.info({ host: HOST, port: listening, path, network: network.identifier.network }, "Listening");
  return { port: listening, stop: () => port.close() };
}
