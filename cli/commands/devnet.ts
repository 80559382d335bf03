import path from "node:path";
import { CertificateError } from "../../catapult/certificate/certificate-error.js";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { ChainFileError } from "../../devnet/chain/chain.js";
import { startDevnet } from "../../devnet/devnet.js";
import { MAIN_NETWORK_RULES } from "../../devnet/network/main-network-rules.js";
import type { RunningDevnet } from "../development/dev.js";
import { developmentAccounts } from "../development/development-accounts.js";
import { createLog } from "../parts/log.js";
import { checkPort, listening, reportReady } from "../parts/parts.js";
import { runUntilStopped } from "../process/shutdown.js";
import { UsageError } from "../process/usage-error.js";
import type { Command } from "./command.js";

/** `symbol-gateway devnet` */
export const devnetCommand: Command = {
  description:
    "Runs a node of a private network on DEVNET_PORT, with a ZeroMQ publisher on DEVNET_ZMQ_PORT,\n" +
    "that creates a block every DEVNET_BLOCK_MS, and prints the keys of\n" +
    "its funded accounts. Its chain is stored in DATA_DIR/devnet.",
  settings: ["devnet", "log"],
  async run(settings) {
    const log = createLog("devnet", settings);
    return runUntilStopped(log, async (parts) => {
      await checkPort("127.0.0.1", settings.DEVNET_ZMQ_PORT, "DEVNET_ZMQ_PORT");
      const starting = startDevnet({
        dataDirectory: path.resolve(settings.DATA_DIR, "devnet"),
        port: settings.DEVNET_PORT,
        zmqPort: settings.DEVNET_ZMQ_PORT,
        blockMs: settings.DEVNET_BLOCK_MS,
        seed: settings.DEVNET_SEED,
        ...(settings.DEVNET_RULES === "main-network" && { rules: MAIN_NETWORK_RULES }),
        finalization: { lag: settings.DEVNET_FINALIZATION_LAG, interval: settings.DEVNET_FINALIZATION_INTERVAL },
        log,
      });
      const devnet = await listening(starting, "DEVNET_PORT", settings.DEVNET_PORT).catch(explain);
      parts.add("devnet", () => devnet.stop());
      const generationHashSeed = hex(devnet.generationHashSeed);
      const { port, zmqEndpoint = "", resourcesDirectory } = devnet;
      log.info({ port, zmqEndpoint, resourcesDirectory, generationHashSeed }, "Listening");
      const accounts = devnet.accounts.map(({ name, address, publicKey, privateKey, balance }) => ({
        name,
        address: encodeAddress(address),
        publicKey: hex(publicKey),
        privateKey: hex(privateKey),
        balance: String(balance),
      }));
      if (process.connected)
        reportReady(log, { port, zmqEndpoint, resourcesDirectory, accounts } satisfies RunningDevnet);
      else process.stdout.write(`\n${developmentAccounts(accounts)}\n\n`);
    });
  },
};

/** The operator can fix a folder of another devnet. */
function explain(error: unknown): never {
  if (error instanceof CertificateError) {
    const hint =
      "Set DEVNET_SEED to its value when the folder was created, set DATA_DIR to another folder, or delete the folder.";
    throw new UsageError(`${error.message}. ${hint}`, { cause: error });
  }
  if (error instanceof ChainFileError) {
    const hint =
      "Set DEVNET_SEED and DEVNET_RULES to their values then, set DATA_DIR to another folder, or delete this one";
    throw new UsageError(`${error.message}. ${hint} (also after an upgrade that changes the rules).`, { cause: error });
  }
  throw error;
}
