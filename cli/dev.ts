import { createServer } from "node:net";
import path from "node:path";
import type { Logger } from "pino";
import { migrateToLatest } from "../migrations/migrate.js";
import { type DevelopmentAccount, developmentAccounts } from "./development-accounts.js";
import { EmbeddedPostgres } from "./embedded-postgres.js";
import { listening } from "./parts.js";
import { redactUrl, type Settings } from "./settings.js";
import type { Parts } from "./shutdown.js";
import { SupervisedProcess } from "./supervised-process.js";

/** Where everything is, once it runs. */
interface DevelopmentSummary {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly passwordFile: string | undefined;
  readonly nodes: string;
  readonly accounts: readonly DevelopmentAccount[];
}

/**
 * Starts everything: the database unless one is configured, its schema, a devnet unless nodes are configured, the
 * indexer and the gateway. These three are processes of their own, as they are in production: one may crash, block its
 * thread, or be killed without taking the others with it, and they use more than one core.
 * @returns text for the terminal that says where everything is
 */
export async function startDevelopment(settings: Settings, log: Logger, parts: Parts): Promise<string> {
  await checkPorts(settings);
  const { databaseUrl, passwordFile } = await startDatabase(settings, log, parts);
  const migrations = await migrateToLatest(databaseUrl);
  if (migrations.length > 0) log.info({ migrations }, "The schema was brought up to date");

  let accounts: readonly DevelopmentAccount[] = [];
  let nodes = settings.CATAPULT_NODES?.map(
    ({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`,
  ).join();
  if (!nodes) {
    let port = settings.DEVNET_PORT;
    await startProcess("devnet", {}, log, parts, (details) => {
      port = Number(details.port);
      accounts = details.accounts as DevelopmentAccount[];
      return { DEVNET_PORT: String(port) };
    });
    nodes = `127.0.0.1:${port}`;
  }

  const environment = { DATABASE_URL: databaseUrl, CATAPULT_NODES: nodes };
  let port = settings.PORT;
  await Promise.all([
    startProcess("indexer", environment, log, parts),
    startProcess("gateway", environment, log, parts, (details) => {
      port = Number(details.port);
      return { PORT: String(port) };
    }),
  ]);
  return summary({ host: settings.HOST, port, databaseUrl, passwordFile, nodes, accounts });
}

/** Looks before anything is started, which would take seconds. */
async function checkPorts(settings: Settings): Promise<void> {
  await listening(tryPort(settings.HOST, settings.PORT), "PORT", settings.PORT);
  if (!settings.CATAPULT_NODES) {
    await listening(tryPort("127.0.0.1", settings.DEVNET_PORT), "DEVNET_PORT", settings.DEVNET_PORT);
  }
}

function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

async function startDatabase(
  settings: Settings,
  log: Logger,
  parts: Parts,
): Promise<{ databaseUrl: string; passwordFile?: string }> {
  if (settings.DATABASE_URL) return { databaseUrl: settings.DATABASE_URL };
  const postgres = await EmbeddedPostgres.start({
    dataDirectory: path.resolve(settings.DATA_DIR, "postgres"),
    port: settings.EMBEDDED_DATABASE_PORT,
    log,
  });
  parts.add("embedded PostgreSQL", () => postgres.stop(), postgres.ended);
  return { databaseUrl: postgres.connectionString, passwordFile: postgres.passwordFile };
}

async function startProcess(
  command: string,
  environment: Readonly<Record<string, string>>,
  log: Logger,
  parts: Parts,
  onReady?: (details: Readonly<Record<string, unknown>>) => Record<string, string>,
): Promise<void> {
  const child = new SupervisedProcess({ command, environment, log, ...(onReady && { onReady }) });
  parts.add(command, () => child.stop(), child.failed);
  await child.ready;
}

function summary({ host, port, databaseUrl, passwordFile, nodes, accounts }: DevelopmentSummary): string {
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const authority = `${isAnyAddress ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
  const lines = [
    "symbol-gateway is ready.",
    "",
    `  REST       http://${authority}/`,
    `  GraphiQL   http://${authority}/graphql`,
    `  WebSocket  ws://${authority}/ws`,
    `  Database   ${redactUrl(databaseUrl)}${passwordFile ? ` (password in ${passwordFile})` : ""}`,
    `  Node       ${nodes}${accounts.length > 0 ? " (the devnet)" : ""}`,
  ];
  if (accounts.length > 0) lines.push("", developmentAccounts(accounts));
  return lines.join("\n");
}
