import type { GatewayOptions } from "../../gateway/server.js";
import { findDatabaseUrl } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import {
  checkPort,
  findTlsFiles,
  listening,
  loadCredentials,
  makeRateLimit,
  openResources,
  parseInternalPort,
  parseNodes,
  reportReady,
} from "../parts/parts.js";
import { readRestJson } from "../parts/rest-json.js";
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
    "number of gateways may run on one database. Announcements and requests about the node go to CATAPULT_NODES. With\n" +
    "--light, only what catapult-rest's light mode serves, from the node alone.",
  settings: ["gateway", "database", "node", "log"],
  finds: ["node"],
  options: {
    light: {
      kind: "flag",
      description:
        "without a database: /chain/info, /node/info, /node/peers, /node/server, /node/unlockedaccount, /ready",
    },
  },
  run: (settings, { light }) => (light ? runLightGateway(settings) : runGateway(settings)),
};

/** The gateway of `symbol-gateway dev`: without a token it serves `/graphql` to local callers. */
export const devGatewayCommand: Command = {
  ...gatewayCommand,
  run: (settings) => runGateway(settings, { answersLocalCallers: true }),
};

async function runLightGateway(settings: Settings): Promise<number> {
  const log = createLog("gateway", settings);
  const restJson = readRestJson(settings);
  const { startLightGateway } = await import("../../gateway/light.js");
  return runUntilStopped(log, async (parts) => {
    const starting = startLightGateway({
      ...(await portOptionsOf(settings)),
      ...restJson,
      rateLimit: makeRateLimit(settings) ?? restJson.rateLimit,
      log,
    });
    const gateway = await listening(starting, "PORT", settings.PORT);
    parts.add("gateway", () => gateway.stop());
    reportReady(log, { port: gateway.port });
  });
}

/** Options of a gateway with and without a database. */
async function portOptionsOf(settings: Settings) {
  return {
    version: programVersion(),
    nodes: parseNodes(settings),
    credentials: await loadCredentials(settings),
    host: settings.HOST,
    port: settings.PORT,
    compatibility: settings.COMPATIBILITY,
    trustedProxies: settings.TRUSTED_PROXIES,
    tls: findTlsFiles(settings),
  };
}

/** @param others options that no setting has */
export async function runGateway(settings: Settings, others: Partial<GatewayOptions> = {}): Promise<number> {
  const log = createLog("gateway", settings);
  const unhandledRejections = surviveRejections(log);
  const restJson = readRestJson(settings);
  const databaseUrl = await findDatabaseUrl(settings);
  const databases = [databaseUrl, ...(settings.DATABASE_READ_URL ? [settings.DATABASE_READ_URL] : [])];
  const schemas = await Promise.all(databases.map((url) => requireSchema(url, log, { writes: false })));
  const internalPort = parseInternalPort(settings);
  if (internalPort) await checkPort(internalPort.host, internalPort.port, "INTERNAL_PORT");
  // Imported late: for help and usage errors, the gateway's modules are not needed.
  const { startGateway } = await import("../../gateway/server.js");
  const { makeExtensions: extensionsOf } = await import("../parts/extensions.js");
  return runUntilStopped(log, async (parts) => {
    for (const schema of schemas) schema.watch(parts);
    const starting = startGateway({
      ...(await portOptionsOf(settings)),
      ...restJson,
      databaseUrl,
      databaseReadUrl: settings.DATABASE_READ_URL,
      databasePoolSize: settings.DATABASE_POOL_SIZE,
      resourcesDirectory: await openResources(settings),
      log,
      pushesEverything: settings.ANNOUNCEMENTS === "push",
      extensions: extensionsOf(settings),
      graphqlTokens: settings.GRAPHQL_TOKEN,
      internalPort,
      rateLimit: makeRateLimit(settings) ?? restJson.rateLimit,
      deliversWebhooks: true,
      webhookPrivateNetworks: settings.WEBHOOK_PRIVATE_NETWORKS,
      connectionsPerClient: settings.WS_MAX_CONNECTIONS_PER_CLIENT,
      unhandledRejections,
      ...others,
    });
    const gateway = await listening(starting, "PORT", settings.PORT);
    parts.add("gateway", () => gateway.stop());
    reportReady(log, { port: gateway.port, internalPort: gateway.internalPort });
  });
}
