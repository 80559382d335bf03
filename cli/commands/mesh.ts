import type { PublicNetworkName } from "../../catapult/network/public-networks.js";
import { createLog } from "../parts/log.js";
import { listening, reportReady } from "../parts/parts.js";
import { runUntilStopped } from "../process/shutdown.js";
import { UsageError } from "../process/usage-error.js";
import { programVersion } from "../process/version.js";
import type { Command } from "./command.js";

const DEFAULT_PATH = "/mesh";

/** `symbol-gateway mesh` */
export const meshCommand: Command = {
  description:
    "Serves the part of Mesh that builds, signs and parses transactions, on PORT of 127.0.0.1 below MESH_PATH (/mesh if\n" +
    "unset): without a database, without a node, without any connection. For the machine where the keys are.",
  settings: ["PORT", "MESH_PATH", "log"],
  options: {
    offline: { kind: "flag", meaning: "required: with a database, the gateway serves Mesh (MESH_PATH)" },
    network: {
      kind: "text",
      meaning: "required: mainnet or testnet",
      form: { pattern: /^(mainnet|testnet)$/, description: "mainnet or testnet" },
    },
  },
  async run(settings, { offline, network }) {
    if (!offline)
      throw new UsageError("--offline is required; with a database: MESH_PATH=/mesh symbol-gateway gateway.");
    if (network === undefined) throw new UsageError("--network is required: mainnet or testnet.");
    const log = createLog("mesh", settings);
    const { startOfflineMesh } = await import("../../mesh/offline.js");
    return runUntilStopped(log, async (parts) => {
      const starting = startOfflineMesh({
        network: network as PublicNetworkName,
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
