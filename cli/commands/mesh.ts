import type { PublicNetworkName } from "../../catapult/network/public-networks.js";
import type { NetworkFacts } from "../../mesh/standard/network.js";
import { createLog } from "../parts/log.js";
import { listening, readResources, reportReady } from "../parts/parts.js";
import { runUntilStopped } from "../process/shutdown.js";
import { surviveRejections } from "../process/unhandled-errors.js";
import { UsageError } from "../process/usage-error.js";
import { programVersion } from "../process/version.js";
import type { Settings } from "../settings/settings.js";
import type { Command } from "./command.js";

const DEFAULT_PATH = "/mesh";
const NETWORKS = "mainnet, testnet or private";

/** @throws UsageError when the files of a private network are missing or invalid */
async function readFacts(name: string, settings: Settings): Promise<NetworkFacts> {
  const { builtInNetwork, configuredNetwork } = await import("../../mesh/standard/built-in-network.js");
  if (name !== "private") return builtInNetwork(name as PublicNetworkName);
  const facts = await readResources(settings, configuredNetwork);
  if (!facts) throw new UsageError("CATAPULT_RESOURCES is required with --network=private.");
  return facts;
}

/** `symbol-gateway mesh` */
export const meshCommand: Command = {
  description:
    "Serves the part of Mesh that builds, signs and parses transactions, on PORT of 127.0.0.1 below MESH_PATH (/mesh if\n" +
    "unset): without a database, without a node, without any connection. For the machine where the keys are.",
  settings: ["PORT", "MESH_PATH", "CATAPULT_RESOURCES", "log"],
  options: {
    offline: { kind: "flag", description: "required: with a database, the gateway serves Mesh (MESH_PATH)" },
    network: {
      kind: "text",
      description: "required: mainnet, testnet, or private for the one that CATAPULT_RESOURCES describes",
      form: { pattern: /^(mainnet|testnet|private)$/, description: NETWORKS },
    },
  },
  async run(settings, { offline, network }) {
    if (!offline)
      throw new UsageError("--offline is required; with a database: MESH_PATH=/mesh symbol-gateway gateway.");
    if (network === undefined) throw new UsageError(`--network is required: ${NETWORKS}.`);
    const log = createLog("mesh", settings);
    surviveRejections(log);
    const { startOfflineMesh } = await import("../../mesh/offline.js");
    const facts = await readFacts(String(network), settings);
    return runUntilStopped(log, async (parts) => {
      const starting = startOfflineMesh({
        network: facts,
        path: settings.MESH_PATH ?? DEFAULT_PATH,
        port: settings.PORT,
        version: programVersion(),
        log,
      });
      const { port, stop } = await listening(starting, "PORT", settings.PORT);
      parts.add("mesh", stop);
      reportReady(log, { port });
    });
  },
};
