import type { Logger } from "pino";
import { connectGateway } from "../../gateway/node-connection.js";
import { databaseUrlOf } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import {
  checkPort,
  credentialsOf,
  internalPortOf,
  listening,
  nodesOf,
  rateLimitOf,
  reportReady,
  resourcesOf,
  tlsFilesOf,
} from "../parts/parts.js";
import { requirePreparedStatements } from "../parts/pooler-check.js";
import { requireSchema } from "../parts/schema-check.js";
import { relayedNodeLink, relayNode } from "../process/node-relay.js";
import { runUntilStopped } from "../process/shutdown.js";
import { programVersion } from "../process/version.js";
import { metricsExchange } from "../process/worker-metrics.js";
import { Workers, workerCount } from "../process/workers.js";
import type { Settings } from "../settings/settings.js";
import { startTracing } from "../tracing/start-tracing.js";
import type { Command, GivenOptions } from "./command.js";

/** `symbol-gateway gateway` */
export const gatewayCommand: Command = {
  description:
    "Serves what an indexer has written into DATABASE_URL over REST, WebSocket (/ws) and GraphQL (/graphql) on PORT. Any\n" +
    "number of gateways may run on one database. Announcements and requests about the node go to CATAPULT_NODES.\n" +
    "With several workers, each counts the settings that are limits (connections, requests, bytes) for itself.",
  settings: ["gateway", "database", "node", "log"],
  finds: ["node"],
  options: {
    workers: {
      kind: "number",
      meaning: "number of processes that share the port (default 1; 0 = one per processor)",
    },
  },
  run: (settings, options) => runGateway(settings, options, false),
};

/** The gateway of `symbol-gateway dev`: without a token it serves `/graphql` to local callers. */
export const devGatewayCommand: Command = {
  ...gatewayCommand,
  run: (settings, options) => runGateway(settings, options, true),
};

async function runGateway(settings: Settings, options: GivenOptions, answersLocalCallers: boolean): Promise<number> {
  const tracing = await startTracing(settings);
  const log = createLog("gateway", settings);
  const databaseUrl = await databaseUrlOf(settings);
  await requireSchema(databaseUrl, log, { writes: false });
  const { DATABASE_READ_URL } = settings;
  if (DATABASE_READ_URL) await requirePreparedStatements("DATABASE_READ_URL", DATABASE_READ_URL);
  const internalPort = internalPortOf(settings);
  if (internalPort) await checkPort(internalPort.host, internalPort.port, "INTERNAL_PORT");
  const count = workerCount(Number(options.workers ?? 1));
  if (count > 1) {
    // Before the workers start: if the port is taken, some of them could wait for it while others fail.
    await checkPort(settings.HOST, settings.PORT, "PORT");
    return runWorkers(count, settings, log);
  }
  // Imported late: for help, usage errors and the parent of workers, the gateway's modules are not needed.
  const { startGateway } = await import("../../gateway/server.js");
  const { extensionsOf } = await import("../parts/extensions.js");
  return runUntilStopped(log, async (parts) => {
    if (tracing) parts.add("tracing", () => tracing.stop());
    const starting = startGateway({
      version: programVersion(),
      databaseUrl,
      databaseReadUrl: settings.DATABASE_READ_URL,
      databasePoolSize: settings.DATABASE_POOL_SIZE,
      statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
      nodes: nodesOf(settings),
      credentials: await credentialsOf(settings),
      nodeLink: relayedNodeLink(),
      resourcesDirectory: await resourcesOf(settings),
      metricsExchange: metricsExchange(),
      host: settings.HOST,
      port: settings.PORT,
      log,
      compatibility: settings.COMPATIBILITY,
      pushesEverything: settings.ANNOUNCEMENTS === "push",
      bodyLimitBytes: settings.REQUEST_BODY_BYTES,
      uncirculatingPublicKeys: settings.UNCIRCULATING_PUBLIC_KEYS,
      nodeMetadata: settings.NODE_METADATA,
      responseCacheBytes: settings.RESPONSE_CACHE_BYTES,
      extensions: extensionsOf(settings),
      graphqlTokens: settings.GRAPHQL_TOKEN,
      answersLocalCallers,
      internalPort,
      trustedProxies: settings.TRUSTED_PROXIES,
      rateLimit: rateLimitOf(settings),
      tls: tlsFilesOf(settings),
      deliversWebhooks: true,
      webhookPrivateNetworks: settings.WEBHOOK_PRIVATE_NETWORKS,
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
    reportReady(log, { port: gateway.port, internalPort: gateway.internalPort });
  });
}

async function runWorkers(count: number, settings: Settings, log: Logger): Promise<number> {
  return runUntilStopped(log, async (parts) => {
    const node = connectGateway({ nodes: nodesOf(settings), credentials: await credentialsOf(settings), log });
    parts.add("node", () => node.close());
    relayNode(node);
    const workers = new Workers("gateway", count, log);
    parts.add("workers", () => workers.stop(), workers.failed);
    const details = await workers.ready;
    log.info({ workers: workers.pids, ...details }, "All workers are listening");
    reportReady(log, details);
  });
}
