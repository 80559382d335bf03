import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { type Connection, connectionOf } from "./connection.js";
import type { Metrics } from "./metrics.js";

const PROCESS_ID_BYTES = 6;
const NO_ROUTE = "(none)";
const EXCHANGE = Symbol("what is known about the request");

type KnownResponse = ServerResponse & { [EXCHANGE]?: Exchange };

/** A request and its response. */
export class Exchange {
  readonly requestId: string;
  /** Key of the client that sent the request. */
  readonly client: string;
  readonly connection: Connection;
  readonly request: IncomingMessage;
  /** As requested: express changes the URL while it routes a request. */
  readonly url: string;
  readonly start = performance.now();
  /** As in the route table: metrics have one series per route, not per path. */
  route = NO_ROUTE;
  /** The work on the response, by the handler of its route. */
  work: Promise<unknown> | undefined;
  #isStream = false;
  #onStream: (() => void)[] = [];

  constructor(requestId: string, client: string, request: IncomingMessage) {
    this.requestId = requestId;
    this.client = client;
    this.request = request;
    this.connection = connectionOf(request.socket);
    this.url = request.url ?? "";
  }

  /** Whether the response is a stream of events, which has no end. */
  get isStream(): boolean {
    return this.#isStream;
  }

  /** The response has no end: it gives back its places, and what it needs is limited elsewhere. */
  beginStream(): void {
    this.#isStream = true;
    for (const listener of this.#onStream) listener();
  }

  /** Resolves when it turns out that the response has no end. */
  streaming(): Promise<void> {
    return new Promise((resolve) => this.#onStream.push(resolve));
  }
}

/** Begins an exchange: to be called once for each request, when it arrives. */
export type BeginExchange = (request: IncomingMessage, response: ServerResponse) => Exchange;

/** Records the outcome of each exchange in the metrics, and at level debug in the log. @param keyOf of the client */
export function exchanges(log: Logger, metrics: Metrics, keyOf: (request: IncomingMessage) => string): BeginExchange {
  const process = `${randomBytes(PROCESS_ID_BYTES).toString("hex")}-`;
  let count = 0;
  // One function for all responses: a closure for each would be one more object to collect.
  function report(this: KnownResponse): void {
    const { requestId, request, route, url, start } = exchangeOf(this);
    const ms = performance.now() - start;
    const { statusCode: status } = this;
    const { method = "" } = request;
    metrics.observe({ method, route, status, ms });
    if (!log.isLevelEnabled("debug")) return;
    const [path] = url.split("?", 1);
    log.debug({ requestId, method, path, status, ms, isAnswered: this.writableFinished }, "request");
  }
  return (request, response: KnownResponse) => {
    count += 1;
    const exchange = new Exchange(process + count.toString(36), keyOf(request), request);
    response[EXCHANGE] = exchange;
    response.on("close", report);
    return exchange;
  };
}

/** The exchange of a response. */
export function exchangeOf(response: KnownResponse): Exchange {
  return response[EXCHANGE] as Exchange;
}

/** The id of this response's request. */
export function requestIdOf(response: ServerResponse): string {
  return (response as KnownResponse)[EXCHANGE]?.requestId ?? "";
}

/** The route of a response, as in the route table; undefined if it has none. */
export function routeOf(response: ServerResponse): string | undefined {
  const route = (response as KnownResponse)[EXCHANGE]?.route;
  return route === NO_ROUTE ? undefined : route;
}
