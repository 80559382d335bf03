import path from "node:path";
import { encodeAddress } from "../../catapult/address.js";
import { startDevnet } from "../../devnet/devnet.js";
import type { Command } from "../command.js";
import { developmentAccounts } from "../development-accounts.js";
import { createLog } from "../log.js";
import { listening, tellReady } from "../parts.js";
import { runUntilStopped } from "../shutdown.js";

/** `symbol-gateway devnet` */
export const devnetCommand: Command = {
  description:
    "Runs a node of a private network on DEVNET_PORT, which makes a block every DEVNET_BLOCK_MS, and prints the keys of\n" +
    "its funded accounts. Its chain is kept in DATA_DIR/devnet.",
  settings: ["devnet", "log"],
  async run(settings) {
    const log = createLog("devnet", settings);
    return runUntilStopped(log, async (parts) => {
      const starting = startDevnet({
        dataDirectory: path.resolve(settings.DATA_DIR, "devnet"),
        port: settings.DEVNET_PORT,
        blockMs: settings.DEVNET_BLOCK_MS,
        seed: settings.DEVNET_SEED,
        log,
      });
      const devnet = await listening(starting, "DEVNET_PORT", settings.DEVNET_PORT);
      parts.add("devnet", () => devnet.stop());
      const generationHashSeed = devnet.generationHashSeed.toString("hex").toUpperCase();
      log.info({ port: devnet.port, generationHashSeed }, "The devnet takes connections");
      const accounts = devnet.accounts.map(({ name, address, privateKey, balance }) => ({
        name,
        address: encodeAddress(address),
        privateKey: privateKey.toString("hex").toUpperCase(),
        balance: String(balance),
      }));
      if (process.connected) tellReady(log, { port: devnet.port, accounts });
      else process.stdout.write(`\n${developmentAccounts(accounts)}\n\n`);
    });
  },
};
