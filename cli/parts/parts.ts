import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import path from "node:path";
import type { Logger } from "pino";
import { loadOrCreateCredentials, type NodeCredentials } from "../../catapult/certificate/certificate.js";
import { CertificateError } from "../../catapult/certificate/der.js";
import { hex } from "../../catapult/entity/hex.js";
import type { NetworkIdentity } from "../../catapult/entity/model.js";
import { describeFileError } from "../../catapult/files/file-error.js";
import { inflationSteps } from "../../catapult/network/inflation.js";
import { NodeResources, NodeResourcesError } from "../../catapult/network/node-resources.js";
import { PropertyError } from "../../catapult/network/properties.js";
import { publicNetwork, publicNetworkWith } from "../../catapult/network/public-networks.js";
import { transactionRules } from "../../catapult/network/transaction-rules.js";
import type { TlsFiles } from "../../gateway/http/tls.js";
import type { GatewayOptions } from "../../gateway/server.js";
import type { ExecutionOptions } from "../../indexer/chain/execution/options.js";
import { type NetworkConfig, parseNetworkConfig } from "../../ledger/config/network-config.js";
import { UsageError } from "../process/usage-error.js";
import type { HostAndPort } from "../settings/setting-kinds.js";
import type { Settings } from "../settings/settings.js";

/** The ports of a devnet, on 127.0.0.1: those of a node and its broker. */
export const DEVNET_PORTS = { port: 7900, zmqPort: 7902 };

/** The nodes to follow, in order: by default a devnet on this machine. */
export function parseNodes(settings: Settings): readonly HostAndPort[] {
  return settings.CATAPULT_NODES ?? [{ host: "127.0.0.1", port: DEVNET_PORTS.port }];
}

/**
 * Our certificate for node connections, created on first start.
 * @throws UsageError naming the setting, when it cannot be read or created
 */
export async function loadCredentials(settings: Settings): Promise<NodeCredentials> {
  const { setting, directory } = certificateDirectoryOf(settings);
  try {
    return await loadOrCreateCredentials(path.resolve(directory()), { commonName: "symbol-gateway" });
  } catch (error) {
    if (!(error instanceof CertificateError || (error instanceof Error && "syscall" in error))) throw error;
    throw new UsageError(`${setting}: ${describeFileError(error)}.`, { cause: error });
  }
}

/**
 * A node accepts one certificate per host, so the default is one folder for all processes of a user, whatever their
 * working folder and DATA_DIR. A devnet accepts all.
 */
function certificateDirectoryOf({ CATAPULT_TLS_DIR, CATAPULT_NODES, DATA_DIR }: Settings) {
  if (CATAPULT_TLS_DIR !== undefined) return { setting: "CATAPULT_TLS_DIR", directory: () => CATAPULT_TLS_DIR };
  if (CATAPULT_NODES === undefined) return { setting: "DATA_DIR", directory: () => devnetCertificatesOf(DATA_DIR) };
  const directory = () => path.join(homedir(), ".local", "state", "symbol-gateway", "tls");
  return { setting: "CATAPULT_TLS_DIR is not set, and its default cannot be used", directory };
}

/** The folder of the certificate for connections to a devnet of this DATA_DIR. */
export function devnetCertificatesOf(dataDirectory: string): string {
  return path.resolve(dataDirectory, "tls");
}

/** The rate limit per client of the gateway; undefined if there is none. */
export function makeRateLimit(settings: Settings): GatewayOptions["rateLimit"] {
  const { RATE_LIMIT: perSecond, RATE_LIMIT_BURST: burst } = settings;
  return perSecond === 0 ? undefined : { perSecond, burst };
}

/** The separate port for operators; undefined if there is none. @throws UsageError when both ports are the same */
export function parseInternalPort({ INTERNAL_PORT: internal, PORT: port }: Settings): HostAndPort | undefined {
  if (internal && internal.port !== 0 && internal.port === port) {
    throw new UsageError("INTERNAL_PORT and PORT must be different.");
  }
  return internal;
}

/** The gateway's certificate; undefined for HTTP. @throws UsageError when only one of both files is set */
export function findTlsFiles(settings: Settings): TlsFiles | undefined {
  const { TLS_CERTIFICATE_FILE: certificateFile, TLS_KEY_FILE: keyFile } = settings;
  if (certificateFile && keyFile) return { certificateFile, keyFile };
  if (!certificateFile && !keyFile) return undefined;
  throw new UsageError("TLS_CERTIFICATE_FILE and TLS_KEY_FILE must be set together.");
}

/**
 * The node's resources folder, if one is set.
 * @throws UsageError when a file in it cannot be read or is invalid
 */
export async function openResources(settings: Settings): Promise<string | undefined> {
  return readResources(settings, async (resources, directory) => {
    transactionRules(await resources.network(), 1);
    inflationSteps(await resources.inflation());
    await resources.node();
    return directory;
  });
}

/**
 * How blocks are executed, with the rules of CATAPULT_RESOURCES or the built-in ones of a public network.
 * @throws UsageError when a file of CATAPULT_RESOURCES cannot be read or is invalid
 */
export async function loadExecution(settings: Settings, log: Logger): Promise<ExecutionOptions> {
  const configured = await readResources(settings, (resources) => configIn(resources, log));
  const { generationHashSeed } = configured ?? {};
  const makeConfig = (network: NetworkIdentity): NetworkConfig | undefined => {
    if (generationHashSeed?.equals(network.generationHashSeed)) return configured;
    if (generationHashSeed)
      log.warn(
        { configured: hex(generationHashSeed), network: hex(network.generationHashSeed) },
        "Ignoring CATAPULT_RESOURCES: it belongs to another network",
      );
    const known = publicNetwork(network);
    return known && parseNetworkConfig(known.network, known.inflation, known.finalization);
  };
  return { configOf: makeConfig, generationHashSeed };
}

/** Without `config-finalization.properties`, the built-in rules of a public network apply, or the defaults of a node. */
async function configIn(resources: NodeResources, log: Logger): Promise<NetworkConfig> {
  const network = await resources.network();
  const finalization = (await resources.finalization()) ?? publicNetworkWith(network)?.finalization;
  if (!finalization) log.warn("CATAPULT_RESOURCES has no config-finalization.properties: using the defaults of nodes");
  return parseNetworkConfig(network, await resources.inflation(), finalization);
}

/**
 * What a function reads in the node's resources folder; undefined if none is set.
 * @throws UsageError when a file cannot be read or is invalid
 */
export async function readResources<T>(
  settings: Settings,
  read: (resources: NodeResources, directory: string) => Promise<T>,
): Promise<T | undefined> {
  const directory = resourcesDirectoryOf(settings);
  if (directory === undefined) return undefined;
  try {
    return await read(new NodeResources(directory), directory);
  } catch (error) {
    if (!(error instanceof NodeResourcesError || error instanceof PropertyError)) throw error;
    const problem = error instanceof NodeResourcesError ? error.detail : error.message;
    throw new UsageError(`CATAPULT_RESOURCES (${directory}): ${problem}.`, { cause: error });
  }
}

/** If no nodes are configured, the devnet's folder is used, if there is one in this DATA_DIR. */
function resourcesDirectoryOf({ CATAPULT_RESOURCES, CATAPULT_NODES, DATA_DIR }: Settings): string | undefined {
  if (CATAPULT_RESOURCES !== undefined) return path.resolve(CATAPULT_RESOURCES);
  const devnets = path.resolve(DATA_DIR, "devnet", "resources");
  return CATAPULT_NODES === undefined && existsSync(devnets) ? devnets : undefined;
}

/**
 * Awaits the start of a server.
 * @param setting of the port; the address of PORT is HOST, others have their address themselves
 * @throws UsageError naming the setting, when the port is taken or not allowed, the address does not belong to this
 *   machine, or the certificate cannot be used
 */
export async function listening<T>(starting: Promise<T>, setting: string, port: number): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    const { code, name, message } = error as NodeJS.ErrnoException;
    if (name === "TlsFilesError") throw new UsageError(`${message}.`, { cause: error });
    if (code === "EADDRINUSE") {
      throw new UsageError(`Port ${port} is taken: set ${setting} to another one.`, { cause: error });
    }
    if (code === "EACCES") {
      throw new UsageError(`Port ${port} is not allowed for this user: set ${setting} to another one.`, {
        cause: error,
      });
    }
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EAI_AGAIN") {
      throw new UsageError(
        `${setting === "PORT" ? "HOST" : setting} must be an address of this machine (${message}).`,
        { cause: error },
      );
    }
    throw error;
  }
}

/**
 * Checks whether a port is free, before starting anything that takes time.
 * @throws UsageError naming the setting, when the port is taken or not allowed
 */
export async function checkPort(host: string, port: number, setting: string): Promise<void> {
  const trying = new Promise<void>((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
  await listening(trying, setting, port);
}

/** Notifies the supervising process, if there is one, that this one has started. */
export function reportReady(log: Logger, details: Readonly<Record<string, unknown>>): void {
  if (!process.connected) return;
  process.send?.({ ready: details }, (error: Error | null) => {
    if (error) log.debug({ err: error }, "The supervising process is gone");
  });
}
