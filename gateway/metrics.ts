import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { WebSocketStats } from "./websocket/websocket.js";

export interface RequestFigures {
  readonly method: string;
  /** Path of the route table. */
  readonly route: string;
  readonly status: number;
  readonly ms: number;
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

  observe({ method, route, status, ms }: RequestFigures): void {
    this.#requests.observe({ method, route, status }, ms / 1000);
  }

  /** Figures of `/ws`, read when somebody asks for the metrics. */
  followWebSocket(stats: () => WebSocketStats): void {
    const gauges: readonly [name: string, help: string, read: (stats: WebSocketStats) => number][] = [
      ["connections", "Open WebSocket connections", (s) => s.connections],
      ["subscriptions", "Subscriptions of all connections", (s) => s.subscriptions],
      ["topics", "Different topics subscribed to", (s) => s.topics],
      ["messages_sent", "Messages sent since the start", (s) => s.messagesSent],
      ["slow_closed", "Connections closed because they read too slowly", (s) => s.slowClosed],
      ["connections_refused", "Connections refused because there were too many", (s) => s.connectionsRefused],
    ];
    for (const [name, help, read] of gauges) {
      new Gauge({
        name: `symbol_gateway_websocket_${name}`,
        help,
        registers: [this.#registry],
        collect() {
          this.set(read(stats()));
        },
      });
    }
  }

  /** Everything in the text format of Prometheus. */
  async print(): Promise<{ text: string; contentType: string }> {
    const registry = Registry.merge([processFigures(), this.#registry]);
    return { text: await registry.metrics(), contentType: registry.contentType };
  }
}
