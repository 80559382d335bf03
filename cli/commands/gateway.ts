import { startGateway } from "../../gateway/server.js";
import type { Command } from "../command.js";
import { createLog } from "../log.js";
import {
  credentialsOf,
  listening,
  nodesOf,
  rateLimitOf,
  requireDatabaseUrl,
  resourcesOf,
  tellReady,
  tlsFilesOf,
} from "../parts.js";
import { requireSchema } from "../schema-check.js";
import { runUntilStopped } from "../shutdown.js";

/** `symbol-gateway gateway` */
export const gatewayCommand: Command = {
  description:
    "Serves what an indexer wrote into DATABASE_URL over REST, WebSocket (/ws) and GraphQL (/graphql) on PORT. Any number\n" +
    "of gateways may run on one database. Announced transactions and questions about the node go to CATAPULT_NODES.",
  settings: ["gateway", "database", "node", "log"],
  async run(settings) {
    const log = createLog("gateway", settings);
    const databaseUrl = requireDatabaseUrl(settings);
    await requireSchema(databaseUrl, log, { writes: false });
    return runUntilStopped(log, async (parts) => {
      const starting = startGateway({
        databaseUrl,
        databaseReadUrl: settings.DATABASE_READ_URL,
        databasePoolSize: settings.DATABASE_POOL_SIZE,
        statementTimeoutMs: settings.STATEMENT_TIMEOUT_MS,
        nodes: nodesOf(settings),
        credentials: await credentialsOf(settings),
        resourcesDirectory: await resourcesOf(settings),
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
        tls: tlsFilesOf(settings),
        webSocketLimits: {
          connections: settings.WS_MAX_CONNECTIONS,
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
