import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import { answerInTime, type IndexStatus } from "../../schema/services/index-status.js";
import type { ConnectionFigures } from "../../schema/services/open-services.js";

export interface RequestFigures {
  readonly method: string;
  /** Path of the route table. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
}

/** What a gateway's figures are read from when somebody asks for them. */
export interface FigureSources {
  readonly webSocket: () => WebSocketStats;
  /** Rejects, or is late, when the database cannot be reached. */
  readonly index: () => Promise<IndexStatus>;
  readonly connections: () => ConnectionFigures;
  /** Sequence of the last event that was handed out; undefined before the database was reached. */
  readonly eventSequence: () => number | undefined;
  /** Open WebSocket connections to `/graphql`. */
  readonly graphqlConnections: () => number;
  /** Requests refused by the rate limit. */
  readonly requestsLimited: () => number;
}

/** Figures of one process, to be put together with others'. */
export type Figures = readonly MetricObjectWithValues<MetricValue<string>>[];

/** How the processes that share a port come by each other's figures: whoever is asked answers for all. */
export interface FigureExchange {
  /** Says how this process' own figures are read. */
  answerWith(read: () => Promise<Figures>): void;
  /** The figures of all processes, this one included. */
  gather(): Promise<readonly Figures[]>;
}

/** Figures of the process (memory, event loop, garbage collection), whatever the number of gateways in it. */
let processRegistry: Registry | undefined;

function processFigures(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

/** Name behind `symbol_gateway_`, what it is, and how it is read; a figure that is not known is left out. */
type Figure<Source> = readonly [
  name: string,
  help: string,
  read: (source: Source) => number | boolean | null | undefined,
];

const webSocketFigures: readonly Figure<WebSocketStats>[] = [
  ["websocket_connections", "Open WebSocket connections", (s) => s.connections],
  ["websocket_subscriptions", "Subscriptions of all connections", (s) => s.subscriptions],
  ["websocket_topics", "Different topics subscribed to", (s) => s.topics],
  ["websocket_messages_sent", "Messages sent since the start", (s) => s.messagesSent],
  ["websocket_slow_closed", "Connections closed because they read too slowly", (s) => s.slowClosed],
  ["websocket_connections_refused", "Connections refused because there were too many", (s) => s.connectionsRefused],
];

const indexFigures: readonly Figure<IndexStatus | undefined>[] = [
  ["database_up", "1 when the database answers", (s) => s !== undefined],
  ["node_up", "1 when the node answers", (s) => s && s.nodeHeight !== undefined],
  ["index_height", "Height of the index", (s) => s?.height],
  ["index_finalized_height", "Height of the last finalized block in the index", (s) => s?.finalizedHeight],
  ["index_state_height", "Newest height at which all of the state was as the node had it", (s) => s?.stateHeight],
  [
    "index_unknown_entities",
    "Entities and state entries of types or versions that the indexer did not know",
    (s) => s?.unknownEntities,
  ],
  ["node_height", "Height of the node's chain", (s) => s?.nodeHeight],
  ["index_blocks_behind", "Blocks that the node has and the index has not", (s) => s?.blocksBehind],
  [
    "index_seconds_behind",
    "Age of the newest block while the index lacks blocks, otherwise 0",
    (s) => s?.secondsBehind,
  ],
];

/** Figures of one gateway, and of its process, for Prometheus. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: "symbol_gateway_http_request_seconds",
    help: "Time to answer a request",
    labelNames: ["method", "route", "status"] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [this.#registry],
  });
  readonly #exchange: FigureExchange | undefined;
  #readAll: () => Promise<void> = async () => undefined;

  /**
   * @param version of the program
   * @param exchange where several processes share the port
   */
  constructor(version: string, exchange?: FigureExchange) {
    this.#exchange = exchange;
    exchange?.answerWith(() => this.#read());
    new Gauge({
      name: "symbol_gateway_info",
      help: "1, with the version of the program",
      labelNames: ["version"],
      aggregator: "max",
      registers: [this.#registry],
    }).set({ version }, 1);
  }

  observe({ method, route, status, ms }: RequestFigures): void {
    this.#requests.observe({ method, route, status }, ms / 1000);
  }

  /** Adds what is read when somebody asks for the metrics. To be called once. */
  follow(sources: FigureSources): void {
    const readWebSocket = this.#gauges(webSocketFigures, "sum");
    const readIndex = this.#gauges(indexFigures, "max");
    const readEvents = this.#gauges<FigureSources>(
      [["event_sequence", "Number of the last event that was handed out", ({ eventSequence }) => eventSequence()]],
      "min",
    );
    const readGraphql = this.#gauges<FigureSources>(
      [["graphql_connections", "Open WebSocket connections to /graphql", (from) => from.graphqlConnections()]],
      "sum",
    );
    const connections = new Gauge({
      name: "symbol_gateway_database_connections",
      help: "Connections to the database by what they do, and queries that wait for one",
      labelNames: ["state"],
      registers: [this.#registry],
    });
    const limited = new Counter({
      name: "symbol_gateway_requests_limited_total",
      help: "Requests refused because their client asked too often",
      registers: [this.#registry],
    });
    this.#readAll = async () => {
      readWebSocket(sources.webSocket());
      readIndex(await answerInTime(sources.index()));
      readEvents(sources);
      readGraphql(sources);
      for (const [state, count] of Object.entries(sources.connections())) connections.set({ state }, count);
      limited.reset();
      limited.inc(sources.requestsLimited());
    };
  }

  /** Everything in the text format of Prometheus. */
  async print(): Promise<{ text: string; contentType: string }> {
    const registry = this.#exchange
      ? AggregatorRegistry.aggregate((await this.#exchange.gather()) as object[])
      : await this.#refreshed();
    return { text: await registry.metrics(), contentType: registry.contentType };
  }

  async #read(): Promise<Figures> {
    return (await this.#refreshed()).getMetricsAsJSON();
  }

  async #refreshed(): Promise<Registry> {
    await this.#readAll();
    return Registry.merge([processFigures(), this.#registry]);
  }

  /** Makes gauges; what is returned sets them. `aggregator` says how those of several processes become one. */
  #gauges<Source>(figures: readonly Figure<Source>[], aggregator: Aggregator): (source: Source) => void {
    const gauges = figures.map(([name, help, read]) => {
      const gauge = new Gauge({ name: `symbol_gateway_${name}`, help, aggregator, registers: [this.#registry] });
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

/** What is going on now, and counters since the start. */
export interface WebSocketStats extends Readonly<ConnectionCounters> {
  readonly connections: number;
  /** Different topics in use, one GraphQL subscription each. */
  readonly topics: number;
  /** Upgrades answered with 429 or 503. */
  readonly connectionsRefused: number;
}

/** Figures that connections add to. */
export interface ConnectionCounters {
  subscriptions: number;
  messagesSent: number;
  requestsRefused: number;
  slowClosed: number;
  deadCut: number;
}
