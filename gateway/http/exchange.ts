import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Express, Request, RequestHandler, Response } from "express";
import type { Logger } from "pino";
import { logLimited } from "../../schema/limits/limited-log.js";
import type { ClientLimit } from "../clients/client-limit.js";
import type { ConnectionLimit } from "./connection-limit.js";
import type { Metrics } from "./metrics.js";
import { normalizeTarget } from "./request-target.js";

/** Unanswered requests per connection; one more blocks its client. */
const PIPELINED = 16;
/** Header fields of a request; one more blocks its client. */
export const HEADERS = 200;

const CONNECTION = Symbol("what is known about the connection");

/** Kept on the socket itself: entries of a WeakMap cost the garbage collector much more. */
type KnownSocket = Duplex & { [CONNECTION]?: Connection };

let connections = 0;

/** A connection that has sent a request. */
export class Connection {
  /** Identifies it in this process. */
  readonly key = String(++connections);
  readonly #closed = new AbortController();
  /** Requests whose answers were not sent, in their order. */
  readonly #unanswered = new Set<Exchange>();

  constructor(socket: Duplex) {
    // One for each request that waits.
    setMaxListeners(0, this.#closed.signal);
    socket.once("close", () => {
      this.#closed.abort();
      // A response that waits for an earlier one on the connection does not close with it.
      for (const exchange of this.#unanswered) exchange.close();
    });
  }

  /** Aborted when it is closed: the client waits for no answer any more. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  /** Number of requests whose answers were not sent. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  /** A request has arrived. */
  begin(exchange: Exchange): void {
    this.#unanswered.add(exchange);
  }

  /** The response to a request was sent, or will not be. */
  end(exchange: Exchange): void {
    this.#unanswered.delete(exchange);
  }

  /** Whether an error may be sent now: not before the answer to an earlier request, nor within the one to this. */
  get mayFail(): boolean {
    const [first] = this.#unanswered;
    if (first === undefined) return true;
    return this.#unanswered.size === 1 && !first.response.headersSent && !first.request.complete;
  }
}

/** What is known about the connection of a socket that sends a request. */
export function connectionOf(socket: KnownSocket): Connection {
  socket[CONNECTION] ??= new Connection(socket);
  return socket[CONNECTION];
}

/** The same; undefined if the socket has sent no request yet. */
export function knownConnection(socket: KnownSocket): Connection | undefined {
  return socket[CONNECTION];
}

const PROCESS_ID_BYTES = 6;
const MS_PER_SECOND = 1_000;
const NO_ROUTE = "(none)";
const EXCHANGE = Symbol("what is known about the request");

type KnownResponse = ServerResponse & { [EXCHANGE]?: Exchange };

/** A request and its response. */
export class Exchange {
  readonly requestId: string;
  /** Key of the client that sent the request. */
  readonly client: string;
  readonly connection: Connection;
  readonly request: Request;
  readonly response: ServerResponse;
  /** The URL as requested: express changes the URL while it routes a request. */
  readonly url: string;
  /** The first segment of the path. */
  readonly segment: string;
  readonly start = performance.now();
  /** The route as in the route table: metrics have one series per route, not per path. */
  route = NO_ROUTE;
  /** The work on the response, by the handler of its route. */
  work: Promise<unknown> | undefined;
  /** Resolves when the response was sent, or its connection is closed. */
  readonly sent: Promise<void>;
  /** The same, or as soon as it turns out that the response has no end. */
  readonly settled: Promise<void>;
  #onSent!: () => void;
  #onSettled!: () => void;
  #isStream = false;

  constructor(requestId: string, client: string, request: Request, response: ServerResponse) {
    this.requestId = requestId;
    this.client = client;
    this.request = request;
    this.response = response;
    this.connection = connectionOf(request.socket);
    this.url = request.url;
    this.segment = firstSegment(request.path);
    this.sent = new Promise((resolve) => {
      this.#onSent = resolve;
    });
    this.settled = new Promise((resolve) => {
      this.#onSettled = resolve;
    });
    this.connection.begin(this);
  }

  /** Whether the response is a stream of events, which has no end. */
  get isStream(): boolean {
    return this.#isStream;
  }

  /** The response has no end: it gives back its slots, and what it needs is limited elsewhere. */
  beginStream(): void {
    this.#isStream = true;
    this.#onSettled();
  }

  /** The response was sent, or its connection is closed. */
  close(): void {
    this.connection.end(this);
    this.#onSent();
    this.#onSettled();
  }
}

/** Begins an exchange: to be called once for each request, when it arrives. */
export type BeginExchange = (request: Request, response: ServerResponse) => Exchange;

/** The first segment of a path. */
export function firstSegment(path: string): string {
  const end = path.indexOf("/", 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

/** Records the outcome of each exchange in the metrics, and at level debug in the log. @param keyOf of the client */
export function exchanges(log: Logger, metrics: Metrics, keyOf: (request: IncomingMessage) => string): BeginExchange {
  const process = `${randomBytes(PROCESS_ID_BYTES).toString("hex")}-`;
  let count = 0;
  // One function for all responses: a closure for each would be one more object to collect.
  function report(this: KnownResponse): void {
    const exchange = exchangeOf(this);
    exchange.close();
    const { requestId, request, route, url, start } = exchange;
    const ms = performance.now() - start;
    const { statusCode: status } = this;
    const { method } = request;
    metrics.observe(method, route, status, ms / MS_PER_SECOND);
    if (!log.isLevelEnabled("debug")) return;
    const [path] = url.split("?", 1);
    log.debug({ requestId, method, path, status, ms, isAnswered: this.writableFinished }, "request");
  }
  return (request, response: KnownResponse) => {
    count += 1;
    const exchange = new Exchange(process + count.toString(36), keyOf(request), request, response);
    response[EXCHANGE] = exchange;
    response.on("close", report);
    return exchange;
  };
}

/** The exchange of a response. */
export function exchangeOf(response: KnownResponse): Exchange {
  return response[EXCHANGE] as Exchange;
}

/** Sets the route of the response. */
export function markRoute(path: string): RequestHandler {
  return (_request, response, next) => {
    exchangeOf(response).route = path;
    next();
  };
}

/** The limits that every request passes. */
export interface SlotLimits {
  /** The limit of requests in work, by client. */
  readonly requests: ClientLimit;
  /** The limit of requests with large bodies, by client. */
  readonly largeBodies: ClientLimit;
  /** The limit of requests by connection. */
  readonly connections: ClientLimit;
}

/**
 * Larger bodies are processed one after another per client, in bytes: parsed, each takes several times as much
 * memory.
 */
const LARGE_BYTES = 65_536;

/**
 * Runs all further steps of a request in a slot of its client. Requests of one connection are worked on one after
 * another: the answer to a later one could not be sent before, and would keep its slot until then. Those with large
 * bodies wait for each other before: the client's other requests do not wait for them.
 */
export function takeSlot({ requests, largeBodies, connections }: SlotLimits): RequestHandler {
  return (_request, response, next) => {
    const exchange = exchangeOf(response);
    const { client, connection } = exchange;
    const { key, signal } = connection;
    const work = () => requests.run(client, signal, () => everything(exchange, next));
    return connections.run(key, signal, async () => {
      await (hasLargeBody(exchange.request) ? largeBodies.run(client, signal, work) : work());
      // A stream has no end: it has left its slot, but not its connection.
      if (exchange.isStream) await exchange.sent;
    });
  };
}

function hasLargeBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length, "content-encoding": encoding, "transfer-encoding": transfer } = headers;
  return length === undefined ? transfer !== undefined : encoding !== undefined || !(Number(length) <= LARGE_BYTES);
}

/** Resolves when the response was sent, or is a stream that has begun, and its handler has ended. */
async function everything(exchange: Exchange, next: () => void): Promise<void> {
  next();
  await exchange.settled;
  // A client that has disconnected still has its slot while a statement runs for it.
  if (!exchange.isStream) await exchange.work?.catch(() => undefined);
}

/** A handler whose work is known to the limits: its slot is not given back before the work has ended. */
export function handler(work: (request: Request, response: Response) => Promise<void>): RequestHandler {
  return (request, response) => {
    const running = work(request, response);
    exchangeOf(response).work = running;
    return running;
  };
}

/**
 * Blocks clients that have sent too many requests without waiting for answers, or too many headers. Requests in whose
 * target express finds no path, so that none of the steps runs, close their connection.
 */
export function limitPipelines(app: Express, connections: ConnectionLimit, log: Logger): RequestListener {
  return (request, response) => {
    const { socket } = request;
    // What was read before it was closed.
    if (socket.destroyed) return;
    if (connectionOf(socket).unanswered >= PIPELINED || request.rawHeaders.length > 2 * HEADERS) {
      connections.block(socket);
      return;
    }
    // Node drops what it has received after a request for another protocol that it passes here.
    if (request.headers.upgrade !== undefined) response.setHeader("Connection", "close");
    normalizeTarget(request);
    app(request as Request, response as Response, (error?: unknown) => {
      if (error) logLimited(log, exchangeOf(response).client, { err: error }, "Request failed");
      socket.destroy();
    });
  };
}
