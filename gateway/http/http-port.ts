import { IncomingMessage, type Server, type ServerOptions, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Express } from "express";
import type { Logger } from "pino";
import { ApiError, invalidContent } from "../../schema/errors/errors.js";
import { logLimited } from "../../schema/limits/limited-log.js";
import type { RateLimit } from "../../schema/limits/rate-limit.js";
import type { Clients } from "../clients/clients.js";
import { ConnectionLimit } from "./connection-limit.js";
import { HEADERS, knownConnection, limitPipelines } from "./exchange.js";
import { rejectUpgrade } from "./reject-upgrade.js";
import { createWebServer, type TlsFiles, type WatchedServer } from "./tls.js";
import { UpgradeRouter } from "./upgrade.js";

export interface HttpPortOptions {
  /** Serves all requests. */
  readonly app: Express;
  readonly log: Logger;
  /** Counts WebSocket connections; requests are counted by the application. */
  readonly rateLimit: RateLimit | undefined;
  /** Tracks connections, which are limited per client. */
  readonly clients: Clients;
  /** WebSocket connections and event streams per client and path. */
  readonly streamsPerClient: number;
  readonly tls: TlsFiles | undefined;
  /** Timeout for receiving a request, in ms. */
  readonly requestTimeoutMs: number;
}

/** Longer than proxies usually keep a connection, so that the proxy closes it and not we while it writes. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Connections per client besides its WebSockets and event streams. */
const HTTP_CONNECTIONS_OF_ONE_CLIENT = 256;
/** `/ws`, `/events` and `/graphql`. */
const STREAM_PATHS = 3;
/** A connection without traffic for this time is closed. */
const SILENCE_MS = 60_000;
/** Of the limit of lines. */
const ACCEPTING = "accepting connections";
/** How often Node checks these timeouts; with its default they would be late by up to half a minute. */
const TIMEOUT_CHECK_MS = 1_000;
/** Grace period for requests in progress when it stops. */
const STOP_GRACE_MS = 5_000;
const IDLE_SWEEP_MS = 50;

/** One port that serves an application over HTTP or HTTPS, and WebSocket connections. */
export class HttpPort {
  readonly upgrades: UpgradeRouter;
  readonly #watched: WatchedServer;
  readonly #log: Logger;

  /** @throws TlsFilesError */
  constructor(options: HttpPortOptions) {
    const { app, log, rateLimit, clients, tls, requestTimeoutMs } = options;
    const limit = HTTP_CONNECTIONS_OF_ONE_CLIENT + STREAM_PATHS * options.streamsPerClient;
    const connections = new ConnectionLimit({ clients, limit, isTls: tls !== undefined });
    const serve = limitPipelines(app, connections, log);
    this.#log = log;
    this.#watched = createWebServer(
      {
        keepAliveTimeout: KEEP_ALIVE_MS,
        headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: TIMEOUT_CHECK_MS,
        // Node's own response has no body; the application rejects such requests.
        requireHostHeader: false,
        ...messageClasses(app),
      },
      serve,
      tls,
      log,
    );
    const { server } = this.#watched;
    server.setTimeout(SILENCE_MS);
    // One more than allowed, so that an excess is visible.
    server.maxHeadersCount = HEADERS + 1;
    connections.watch(server);
    server.on("checkExpectation", serve);
    answerUnreadableRequests(server);
    this.upgrades = new UpgradeRouter(server, { clients, connections, rateLimit });
  }

  /** Unix seconds at which its certificate expires; undefined without HTTPS. */
  get certificateExpiry(): number | undefined {
    return this.#watched.certificateExpiry();
  }

  /**
   * @param host `::` listens on IPv6 and IPv4, or on IPv4 alone where the machine has no IPv6
   * @param port 0 = any free port
   * @returns the port
   * @throws Error when it cannot listen
   */
  async listen(host: string, port: number): Promise<number> {
    const { server } = this.#watched;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, ...(host !== "::" && { host }) }, () => {
        server.off("error", reject);
        // Accepting a connection fails when the process has no file descriptor left for it.
        server.on("error", (err) => logLimited(this.#log, ACCEPTING, { err }, "A connection could not be accepted"));
        resolve();
      });
    });
    return (server.address() as AddressInfo).port;
  }

  /** Closes connections as soon as they have no request in progress, and all of them after a while. */
  close(): Promise<void> {
    const { server, release } = this.#watched;
    release();
    return closed(server);
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
    // An error means that it never listened.
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
  });
}

/**
 * Classes of requests and responses for the server of an application. Express gives each of them another prototype on
 * arrival, for which V8 creates a new hidden class each time; that keeps the whole request until the next full
 * garbage collection. Instances of these classes have that prototype from the beginning.
 */
function messageClasses(app: Express): Pick<ServerOptions, "IncomingMessage" | "ServerResponse"> {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse as typeof ServerResponse };
}

/**
 * Answers requests that Node's parser rejects, or that arrive too slowly, with the body that all errors have: Node's own
 * answer has none. If an answer to an earlier request is due, the connection is closed instead.
 */
function answerUnreadableRequests(server: Server): void {
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    const mayFail = knownConnection(socket)?.mayFail ?? true;
    if (error.code === "ECONNRESET" || !socket.writable || !mayFail) socket.destroy(error);
    else rejectUpgrade(socket, describe(error));
  });
}

function describe({ code }: NodeJS.ErrnoException): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ApiError("RequestHeaderFieldsTooLarge", "the URL and the headers exceed the size limit of this server");
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new ApiError("RequestTimeout", "the request did not arrive in time");
  return invalidContent("the request", "valid HTTP/1.1");
}
