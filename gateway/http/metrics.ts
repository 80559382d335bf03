import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ConnectionFigures } from "../../schema/graph/services.js";
import { answerInTime, type IndexStatus, statusMembers } from "../../schema/network/status.js";

/** Upper bounds of the response times' buckets, in seconds. */
const REQUEST_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

/** Methods that a route may have: strangers may send about thirty others, each of which would be a line for each route. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "OPTIONS"]);

/** Sources of a gateway's metrics, read on each scrape. */
export interface MetricSources {
  readonly webSocket: () => WebSocketStats;
  readonly eventStreams: () => EventStreamStats;
  /** Rejects, or is late, when the database is unreachable. */
  readonly index: () => Promise<IndexStatus>;
  readonly connections: () => ConnectionFigures;
  /** Sequence of the last delivered event; undefined before the database was reached. */
  readonly eventSequence: () => number | undefined;
  /** Open WebSocket connections to `/graphql`. */
  readonly graphqlConnections: () => number;
  /** Requests rejected by the rate limit. */
  readonly requestsLimited: () => number;
  /** Number of webhooks that do not accept their messages; rejects when the database is unreachable. */
  readonly failingWebhooks: () => Promise<number>;
  /** Unix seconds at which certificates expire, by their use; undefined without one. */
  readonly certificateExpiries: () => Readonly<Record<string, number | undefined>>;
  /** Failures because the database could not be reached. */
  readonly databaseFailures: () => number;
  /** Slots in use by the names of their limits. */
  readonly slots: () => readonly (readonly [limit: string, held: number])[];
  /** Unix seconds by name. */
  readonly tokenUses: () => ReadonlyMap<string, number>;
  /** Number of rejected promises that nothing in the process has handled. */
  readonly unhandledRejections: () => number;
}

/** Metrics of the process (memory, event loop, garbage collection), whatever the number of gateways in it. */
let processRegistry: Registry | undefined;

function processFigures(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** Name after `symbol_gateway_`, help text, and how it is read; an unknown value is omitted. */
type GaugeRow<Source> = readonly [
  name: string,
  help: string,
  read: (source: Source) => number | boolean | null | undefined,
];

const webSocketGauges: readonly GaugeRow<WebSocketStats>[] = [
  ["websocket_connections", "Open WebSocket connections", (s) => s.connections],
  ["websocket_subscriptions", "Subscriptions of all connections", (s) => s.subscriptions],
  ["websocket_topics", "Distinct topics of consumers that have all events", (s) => s.topics],
  ["websocket_messages_sent", "Messages sent since the start", (s) => s.messagesSent],
  ["websocket_slow_closed", "Connections closed because the client reads too slowly", (s) => s.slowClosed],
  ["websocket_connections_refused", "Connections rejected because there were too many", (s) => s.connectionsRejected],
];

const eventStreamGauges: readonly GaugeRow<EventStreamStats>[] = [
  ["event_streams", "Open streams of /events", (s) => s.connections],
  ["event_streams_subscriptions", "Subscriptions of all streams", (s) => s.subscriptions],
  ["event_streams_messages_sent", "Messages sent since the start", (s) => s.messagesSent],
  ["event_streams_slow_closed", "Streams closed because the client reads too slowly", (s) => s.slowClosed],
  ["event_streams_rejected", "Streams rejected because there were too many", (s) => s.connectionsRejected],
];

const indexGauges: readonly GaugeRow<IndexStatus | undefined>[] = [
  ["database_up", "1 if the database responds", (s) => s !== undefined],
  ["node_up", "1 if the node responds", (s) => s && s.nodeHeight !== undefined],
  ...statusMembers.flatMap(({ name, metric, isFlag = false }): GaugeRow<IndexStatus | undefined>[] => {
    if (!metric) return [];
    const read = (status: IndexStatus | undefined) => {
      const value = status?.[name];
      return isFlag ? status && value !== null : (value as number | undefined);
    };
    return [[...metric, read]];
  }),
];

/** Prometheus metrics of one gateway and its process. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "symbol_gateway_http_requests_total",
    help: "Requests",
    labelNames: ["method", "route", "status"],
    registers: [this.#registry],
  });
  readonly #routeSeconds = new Counter({
    name: "symbol_gateway_http_route_seconds_total",
    help: "Response times of all requests of a route together",
    labelNames: ["route"],
    registers: [this.#registry],
  });
  /** The response times of all routes: by route, method and status it would have ten lines for each of them. */
  readonly #responseTimes = new Histogram({
    name: "symbol_gateway_http_request_seconds",
    help: "Response time of requests",
    buckets: REQUEST_SECONDS,
    registers: [this.#registry],
  });
  #readAll: () => Promise<void> = async () => undefined;

  /** @param version of the program */
  constructor(version: string) {
    new Gauge({
      name: "symbol_gateway_info",
      help: "1, with the version of the program",
      labelNames: ["version"],
      registers: [this.#registry],
    }).set({ version }, 1);
  }

  /** A request was answered, or given up, after this time in seconds. */
  observe(method: string, route: string, status: number, seconds: number): void {
    this.#requests.inc({ method: METHODS.has(method) ? method : "other", route, status });
    this.#routeSeconds.inc({ route }, seconds);
    this.#responseTimes.observe(seconds);
  }

  /** Adds the metrics that are read on each scrape. To be called once. */
  follow(sources: MetricSources): void {
    const readWebSocket = this.#gauges(webSocketGauges);
    const readEventStreams = this.#gauges(eventStreamGauges);
    const readIndex = this.#gauges(indexGauges);
    const readEvents = this.#gauges<MetricSources>([
      ["event_sequence", "Sequence of the last delivered event", ({ eventSequence }) => eventSequence()],
    ]);
    const readGraphql = this.#gauges<MetricSources>([
      ["graphql_connections", "Open WebSocket connections to /graphql", (from) => from.graphqlConnections()],
    ]);
    const connections = new Gauge({
      name: "symbol_gateway_database_connections",
      help: "Connections to the database by state, and queries waiting for one",
      labelNames: ["state"],
      registers: [this.#registry],
    });
    const limited = new Counter({
      name: "symbol_gateway_requests_limited_total",
      help: "Requests rejected by the rate limit",
      registers: [this.#registry],
    });
    const readWebhooks = this.#gauges<number | undefined>([
      ["webhooks_failing", "Webhooks whose oldest undelivered message was not accepted", (count) => count],
    ]);
    const certificates = new Gauge({
      name: "symbol_gateway_certificate_expires_seconds",
      help: "Unix time at which a certificate expires: that of HTTPS, and that of node connections",
      labelNames: ["use"],
      registers: [this.#registry],
    });
    const databaseFailures = new Counter({
      name: "symbol_gateway_database_failures_total",
      help: "Requests and connections that failed because the database could not be reached",
      registers: [this.#registry],
    });
    const unhandled = new Counter({
      name: "symbol_gateway_unhandled_rejections_total",
      help: "Faults of this program in the work of a request that nothing handled; the gateway continues",
      registers: [this.#registry],
    });
    const slots = new Gauge({
      name: "symbol_gateway_slots_held",
      help: "Slots that clients hold, by limit; the request for these metrics holds one of requests",
      labelNames: ["limit"],
      registers: [this.#registry],
    });
    const tokenUses = new Gauge({
      name: "symbol_gateway_token_last_use_seconds",
      help: "Unix time of the last use of each token in GRAPHQL_TOKEN; 0 = not since the start",
      labelNames: ["name"],
      registers: [this.#registry],
    });
    this.#readAll = async () => {
      readWebSocket(sources.webSocket());
      readEventStreams(sources.eventStreams());
      readIndex(await answerInTime(sources.index()));
      readWebhooks(await answerInTime(sources.failingWebhooks()));
      for (const [use, at] of Object.entries(sources.certificateExpiries())) if (at) certificates.set({ use }, at);
      readEvents(sources);
      readGraphql(sources);
      for (const [state, count] of Object.entries(sources.connections())) connections.set({ state }, count);
      for (const [limit, held] of sources.slots()) slots.set({ limit }, held);
      for (const [name, at] of sources.tokenUses()) tokenUses.set({ name }, at);
      databaseFailures.reset();
      databaseFailures.inc(sources.databaseFailures());
      limited.reset();
      limited.inc(sources.requestsLimited());
      unhandled.reset();
      unhandled.inc(sources.unhandledRejections());
    };
  }

  /** All metrics in the text format of Prometheus. */
  async print(): Promise<{ text: string; contentType: string }> {
    await this.#readAll();
    const registry = Registry.merge([processFigures(), this.#registry]);
    return { text: await registry.metrics(), contentType: registry.contentType };
  }

  /** Creates gauges; the result sets them. */
  #gauges<Source>(figures: readonly GaugeRow<Source>[]): (source: Source) => void {
    const gauges = figures.map(([name, help, read]) => {
      const gauge = new Gauge({ name: `symbol_gateway_${name}`, help, registers: [this.#registry] });
      return { gauge, read };
    });
    return (source) => {
      for (const { gauge, read } of gauges) {
        const value = read(source);
        if (value === undefined || value === null) gauge.remove();
        else gauge.set(Number(value));
      }
    };
  }
}

/** Current values, and counters since the start. */
export interface WebSocketStats extends Readonly<ConnectionCounters> {
  readonly connections: number;
  /** Distinct topics of consumers that have all events. */
  readonly topics: number;
  /** Upgrades answered with 429 or 503. */
  readonly connectionsRejected: number;
}

/** Statistics of the streams of `/events`. */
export interface EventStreamStats {
  readonly connections: number;
  readonly subscriptions: number;
  readonly messagesSent: number;
  readonly slowClosed: number;
  /** Requests answered with 429 or 503. */
  readonly connectionsRejected: number;
}

/** Counters updated by connections. */
export interface ConnectionCounters {
  subscriptions: number;
  messagesSent: number;
  requestsRejected: number;
  slowClosed: number;
  deadCut: number;
}
