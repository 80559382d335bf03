import { startDevelopment } from "../development/dev.js";
import { createLog } from "../parts/log.js";
import { runUntilStopped } from "../process/shutdown.js";
import { redactSettings } from "../settings/settings.js";
import type { Command } from "./command.js";

/** `symbol-gateway dev`, which is `npm start`. */
export const devCommand: Command = {
  description:
    "Runs an embedded PostgreSQL (unless DATABASE_URL is set), a devnet (unless CATAPULT_NODES is set), the indexer and\n" +
    "the gateway, and prints their addresses. All data is in DATA_DIR; delete it to start over.",
  settings: ["gateway", "database", "node", "indexer", "devnet", "log"],
  async run(settings) {
    const log = createLog("dev", settings);
    log.debug({ settings: redactSettings(settings) }, "Settings");
    return runUntilStopped(log, async (parts) => {
      const summary = await startDevelopment(settings, log, parts);
      process.stdout.write(`\n${summary}\n\nStop with Ctrl-C.\n\n`);
    });
  },
};
