import type { GatewayOptions } from "../../gateway/server.js";
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
import { restJsonOf } from "../parts/rest-json.js";
import { requireSchema } from "../parts/schema-check.js";
import { runUntilStopped } from "../process/shutdown.js";
import { surviveRejections } from "../process/unhandled-errors.js";
import { programVersion } from "../process/version.js";
import type { Settings } from "../settings/settings.js";
import type { Command } from "./command.js";

/** `symbol-gateway gateway` */
export const gatewayCommand: Command = {
  description:
    "Serves what an indexer has written into DATABASE_URL over REST, WebSocket (/ws) and GraphQL (/graphql) on PORT. Any\n" +
    "number of gateways may run on one database. Announcements and requests about the node go to CATAPULT_NODES.",
  settings: ["gateway", "database", "node", "log"],
  finds: ["node"],
  run: (settings) => runGateway(settings),
};

/** The gateway of `symbol-gateway dev`: without a token it serves `/graphql` to local callers. */
export const devGatewayCommand: Command = {
  ...gatewayCommand,
  run: (settings) => runGateway(settings, { answersLocalCallers: true }),
};

/** @param others options that no setting has */
export async function runGateway(settings: Settings, others: Partial<GatewayOptions> = {}): Promise<number> {
  const log = createLog("gateway", settings);
  const unhandledRejections = surviveRejections(log);
  const restJson = restJsonOf(settings);
  const databaseUrl = await databaseUrlOf(settings);
  const databases = [databaseUrl, ...(settings.DATABASE_READ_URL ? [settings.DATABASE_READ_URL] : [])];
  const schemas = await Promise.all(databases.map((url) => requireSchema(url, log, { writes: false })));
  const internalPort = internalPortOf(settings);
  if (internalPort) await checkPort(internalPort.host, internalPort.port, "INTERNAL_PORT");
  // Imported late: for help and usage errors, the gateway's modules are not needed.
  const { startGateway } = await import("../../gateway/server.js");
  const { extensionsOf } = await import("../parts/extensions.js");
  return runUntilStopped(log, async (parts) => {
    for (const schema of schemas) schema.watch(parts);
    const starting = startGateway({
      version: programVersion(),
      databaseUrl,
      databaseReadUrl: settings.DATABASE_READ_URL,
      databasePoolSize: settings.DATABASE_POOL_SIZE,
      nodes: nodesOf(settings),
      credentials: await credentialsOf(settings),
      resourcesDirectory: await resourcesOf(settings),
      host: settings.HOST,
      port: settings.PORT,
      log,
      compatibility: settings.COMPATIBILITY,
      pushesEverything: settings.ANNOUNCEMENTS === "push",
      uncirculatingPublicKeys: restJson.uncirculatingPublicKeys,
      nodeMetadata: restJson.nodeMetadata,
      deployment: restJson.deployment,
      extensions: extensionsOf(settings),
      graphqlTokens: settings.GRAPHQL_TOKEN,
      internalPort,
      trustedProxies: settings.TRUSTED_PROXIES,
      rateLimit: rateLimitOf(settings) ?? restJson.rateLimit,
      tls: tlsFilesOf(settings),
      deliversWebhooks: true,
      webhookPrivateNetworks: settings.WEBHOOK_PRIVATE_NETWORKS,
      webSocketLimits: { connectionsPerClient: settings.WS_MAX_CONNECTIONS_PER_CLIENT },
      unhandledRejections,
      ...others,
    });
    const gateway = await listening(starting, "PORT", settings.PORT);
    parts.add("gateway", () => gateway.stop());
    reportReady(log, { port: gateway.port, internalPort: gateway.internalPort });
  });
}
