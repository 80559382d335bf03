import path from "node:path";
import type { Logger } from "pino";
import { migrate, startDatabase } from "../parts/database.js";
import { checkPort, devnetCertificatesOf } from "../parts/parts.js";
import { requireSchema } from "../parts/schema-check.js";
import { reach } from "../process/reach.js";
import type { Parts } from "../process/shutdown.js";
import { type SupervisedOptions, SupervisedProcess } from "../process/supervised-process.js";
import { UsageError } from "../process/usage-error.js";
import {
  findRunning,
  removeRunningSettings,
  type SettingTexts,
  writeRunningSettings,
} from "../settings/running-settings.js";
import type { HostAndPort } from "../settings/setting-kinds.js";
import { redactUrl, type Settings } from "../settings/settings.js";
import { type DevelopmentAccount, developmentAccounts } from "./development-accounts.js";
import { inUrl, makeGatewayUrl } from "./gateway-url.js";

/** Reported by a devnet when it has started. */
export interface RunningDevnet {
  readonly port: number;
  /** Such as `tcp://127.0.0.1:7902`. */
  readonly zmqEndpoint: string;
  /** Folder of its `config-*.properties`. */
  readonly resourcesDirectory: string;
  readonly accounts: readonly DevelopmentAccount[];
}

/** Addresses of the running parts. */
interface DevelopmentSummary {
  /** Without a trailing slash, like the next. */
  readonly gatewayUrl: string;
  /** The URL of the pages for operators. */
  readonly internalUrl: string;
  readonly databaseUrl: string;
  readonly passwordFile: string | undefined;
  readonly nodes: string;
  readonly devnet: RunningDevnet | undefined;
  /** Why none of the configured nodes can be reached; undefined if one can. */
  readonly waitsFor: string | undefined;
}

/**
 * Starts everything: the database unless one is configured, its schema, a devnet unless nodes are configured, the
 * indexer and the gateway. The last three are separate processes, as in production: one may crash, block its thread,
 * or be killed without affecting the others, and they use more than one core.
 * @returns text for the terminal with all addresses
 */
export async function startDevelopment(settings: Settings, log: Logger, parts: Parts): Promise<string> {
  // Before anything is started, which would take seconds.
  await checkAlone(settings.DATA_DIR);
  await checkPort(settings.HOST, settings.PORT, "PORT");
  await removeRunningSettings(settings.DATA_DIR);
  const { databaseUrl, passwordFile } = await startDatabase(settings, log, parts);
  await migrate(databaseUrl, log);
  await requireSchema(databaseUrl, log, { writes: true });

  const configured = settings.CATAPULT_NODES?.map(({ host, port }) => `${inUrl(host)}:${port}`).join();
  const devnet = configured ? undefined : await startDevnet(log, parts);
  const nodes = configured ?? `127.0.0.1:${devnet?.port}`;
  const nodeSettings = {
    CATAPULT_NODES: nodes,
    ...(devnet && {
      CATAPULT_ZMQ: devnet.zmqEndpoint,
      CATAPULT_RESOURCES: devnet.resourcesDirectory,
      CATAPULT_TLS_DIR: settings.CATAPULT_TLS_DIR ?? devnetCertificatesOf(settings.DATA_DIR),
    }),
  };
  const environment = { DATABASE_URL: databaseUrl, ...nodeSettings };
  let port = settings.PORT;
  let internalPort = port;
  await Promise.all([
    startProcess("indexer", environment, log, parts),
    startProcess("dev-gateway", environment, log, parts, (details) => {
      port = Number(details.port);
      internalPort = Number(details.internalPort);
      const apart = settings.INTERNAL_PORT && {
        INTERNAL_PORT: `${inUrl(settings.INTERNAL_PORT.host)}:${internalPort}`,
      };
      return { environment: { PORT: String(port), ...apart } };
    }),
  ]);
  await writeRunningSettings(settings.DATA_DIR, {
    ...configuredNodeSettings(settings),
    ...nodeSettings,
    ...gatewaySettings(settings, port),
    DEVNET_SEED: settings.DEVNET_SEED,
  });
  parts.add("running settings", () => removeRunningSettings(settings.DATA_DIR));
  return summary({
    waitsFor: settings.CATAPULT_NODES && (await unreachable(settings.CATAPULT_NODES)),
    gatewayUrl: makeGatewayUrl({ ...settings, PORT: port }),
    internalUrl: makeGatewayUrl({
      ...settings,
      HOST: settings.INTERNAL_PORT?.host ?? settings.HOST,
      PORT: internalPort,
    }),
    databaseUrl,
    passwordFile,
    nodes,
    devnet,
  });
}

/** @throws UsageError if a `dev` runs on the same data */
async function checkAlone(dataDirectory: string): Promise<void> {
  const running = await findRunning(dataDirectory);
  if (!running) return;
  const { pid, settings } = running;
  const { HOST = "::", PORT = "", TLS_CERTIFICATE_FILE } = settings;
  const url = makeGatewayUrl({ HOST, PORT: Number(PORT), TLS_CERTIFICATE_FILE });
  throw new UsageError(
    `symbol-gateway already runs on the data in ${path.resolve(dataDirectory)}: ${url}/, process ${pid}. ` +
      "Stop that one, or set DATA_DIR and PORT to others.",
  );
}

/** Why none of these nodes can be reached, in a sentence; undefined if one can. */
async function unreachable(nodes: readonly HostAndPort[]): Promise<string | undefined> {
  const problems = await Promise.all(nodes.map(reach));
  return problems.includes(undefined) ? undefined : problems.join("; ");
}

/** Starts the devnet, which keeps its ports across restarts. */
async function startDevnet(log: Logger, parts: Parts): Promise<RunningDevnet> {
  let devnet: RunningDevnet | undefined;
  await startProcess("devnet", {}, log, parts, (details) => {
    devnet = details as unknown as RunningDevnet;
    return { args: [`--port=${devnet.port}`, `--zmq-port=${new URL(devnet.zmqEndpoint).port}`] };
  });
  if (!devnet) throw new Error("the devnet has started, but did not report its addresses");
  return devnet;
}

async function startProcess(
  command: string,
  environment: Readonly<Record<string, string>>,
  log: Logger,
  parts: Parts,
  onReady?: SupervisedOptions["onReady"],
): Promise<void> {
  const child = new SupervisedProcess({ command, environment, log, onReady });
  parts.add(command, () => child.stop(), child.failed);
  await child.ready;
}

/** Settings of the node other than its address, as they are written in the environment. */
function configuredNodeSettings({ CATAPULT_ZMQ, CATAPULT_RESOURCES }: Settings): SettingTexts {
  return {
    ...(CATAPULT_ZMQ && { CATAPULT_ZMQ }),
    ...(CATAPULT_RESOURCES && { CATAPULT_RESOURCES: path.resolve(CATAPULT_RESOURCES) }),
  };
}

function gatewaySettings({ HOST, TLS_CERTIFICATE_FILE }: Settings, port: number): SettingTexts {
  return { PORT: String(port), HOST, ...(TLS_CERTIFICATE_FILE && { TLS_CERTIFICATE_FILE }) };
}

function summary(running: DevelopmentSummary): string {
  const { gatewayUrl, internalUrl, databaseUrl, passwordFile, nodes, devnet, waitsFor } = running;
  const lines = [
    waitsFor === undefined ? "symbol-gateway is ready." : `symbol-gateway is waiting for a node: ${waitsFor}.`,
    "",
    `  REST       ${gatewayUrl}/`,
    `  GraphiQL   ${internalUrl}/graphql`,
    `  Explorer   ${internalUrl}/explorer`,
    `  WebSocket  ${gatewayUrl.replace(/^http/, "ws")}/ws`,
    `  Database   ${redactUrl(databaseUrl)}${passwordFile ? ` (password in ${passwordFile})` : ""}`,
    `  Node       ${nodes}${devnet ? ` (the devnet; ZeroMQ at ${devnet.zmqEndpoint})` : ""}`,
  ];
  if (devnet) {
    const command = "npm run symbol-gateway -- transfer --to bob --amount 1";
    lines.push("", developmentAccounts(devnet.accounts), "", `Send something: ${command}`);
  }
  return lines.join("\n");
}
