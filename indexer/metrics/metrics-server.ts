import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import type { IndexerMetrics } from "./metrics.js";

/** A small HTTP server beside an indexer. */
export interface MetricsServer {
  readonly port: number;
  /** Closes connections and stops listening. */
  stop(): Promise<void>;
}

/**
 * Serves `GET /metrics`, and nothing else.
 * @param options.port 0 = any free port
 * @throws Error when it cannot listen
 */
export async function startMetricsServer(options: {
  readonly metrics: IndexerMetrics;
  readonly host: string;
  readonly port: number;
  readonly log: Logger;
}): Promise<MetricsServer> {
  const { metrics, host, log } = options;
  const server = createServer((request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404).end("Only GET /metrics is available here.\n");
      return;
    }
    metrics.print().then(
      ({ text, contentType }) => response.writeHead(200, { "Content-Type": contentType }).end(text),
      (err: unknown) => {
        log.error({ err }, "Reading the metrics failed");
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  log.info({ host, port }, "Listening for metrics");
  return {
    port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
