import type { Logger } from "pino";
import { boundGarbage } from "../bound-garbage.js";
import type { Command } from "../command.js";
import { databaseUrlOf } from "../database.js";
import { createLog } from "../log.js";
import {
  checkPort,
  credentialsOf,
  listening,
  nodesOf,
  rateLimitOf,
  resourcesOf,
  tellReady,
  tlsFilesOf,
} from "../parts.js";
import { requireSchema } from "../schema-check.js";
import { runUntilStopped } from "../shutdown.js";
import { figureExchange } from "../worker-figures.js";
import { Workers, workerCount } from "../workers.js";

/** `symbol-gateway gateway` */
export const gatewayCommand: Command = {
  description:
    "Serves what an indexer wrote into DATABASE_URL over REST, WebSocket (/ws) and GraphQL (/graphql) on PORT. Any number\n" +
    "of gateways may run on one database. Announced transactions and questions about the node go to CATAPULT_NODES.\n" +
    "With several workers, each counts the settings that are limits (connections, requests, bytes) for itself.",
  settings: ["gateway", "database", "node", "log"],
  options: {
    workers: {
      kind: "number",
      meaning: "processes that share the port: 1 unless given, 0 for one for each processor",
    },
  },
  async run(settings, options) {
    const log = createLog("gateway", settings);
    const databaseUrl = await databaseUrlOf(settings);
    await requireSchema(databaseUrl, log, { writes: false });
    const count = workerCount(Number(options.workers ?? 1));
    if (count > 1) {
      // Before there are processes, of which some may wait for the port that others were refused.
      await checkPort(settings.HOST, settings.PORT, "PORT");
      return runWorkers(count, log);
    }
    // Not before: who asks for help, is refused, or is the parent of workers does without all that a gateway is made of.
    const { startGateway } = await import("../../gateway/server.js");
    boundGarbage();
    return runUntilStopped(log, async (parts) => {
      const starting = startGateway({
        databaseUrl,
        databaseReadUrl: settings.DATABASE_READ_URL,
        databasePoolSize: settings.DATABASE_POOL_SIZE,
        statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
        nodes: nodesOf(settings),
        credentials: await credentialsOf(settings),
        resourcesDirectory: await resourcesOf(settings),
        figureExchange: figureExchange(),
        host: settings.HOST,
        port: settings.PORT,
        log,
        pageSizeOutOfRange: settings.PAGE_SIZE_OUT_OF_RANGE,
        bodyLimitBytes: settings.REQUEST_BODY_BYTES,
        uncirculatingPublicKeys: settings.UNCIRCULATING_PUBLIC_KEYS,
        nodeMetadata: settings.NODE_METADATA,
        responseCacheBytes: settings.RESPONSE_CACHE_BYTES,
        graphqlToken: settings.GRAPHQL_TOKEN,
        rateLimit: rateLimitOf(settings),
        trustedProxies: settings.TRUSTED_PROXIES,
        tls: tlsFilesOf(settings),
        webSocketLimits: {
          connections: settings.WS_MAX_CONNECTIONS,
          connectionsPerClient: settings.WS_MAX_CONNECTIONS_PER_CLIENT,
          subscriptionsPerConnection: settings.WS_MAX_SUBSCRIPTIONS,
          messageBytes: settings.WS_MAX_MESSAGE_BYTES,
          bufferedBytes: settings.WS_MAX_BUFFER_BYTES,
        },
      });
      const gateway = await listening(starting, "PORT", settings.PORT);
      parts.add("gateway", () => gateway.stop());
      tellReady(log, { port: gateway.port });
    });
  },
};

async function runWorkers(count: number, log: Logger): Promise<number> {
  return runUntilStopped(log, async (parts) => {
    const workers = new Workers("gateway", count, log);
    parts.add("workers", () => workers.stop(), workers.failed);
    const details = await workers.ready;
    log.info({ workers: workers.pids, ...details }, "All workers take connections");
    tellReady(log, details);
  });
}
