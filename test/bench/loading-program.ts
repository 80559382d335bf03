import { loadavg } from "node:os";
import { openDatabase } from "../../database/connection.js";
import { loadLedger } from "../../indexer/execution/stored-ledger.js";
import { executableNetwork } from "../support/executable-chain.js";

/** Loads the state in the database of its argument, up to the nine roots. Sends the cost. */

const db = openDatabase({ url: process.argv[2]!, poolSize: 3, statementTimeoutMs: 0, onError: () => undefined });
const { config } = executableNetwork({ seed: 1 }).network;
const startedAt = performance.now();
const ledger = await loadLedger(db, config, 720, 1);
ledger.subCacheMerkleRoots();
const ms = performance.now() - startedAt;
const peakMemoryMiB = Math.round(process.resourceUsage().maxRSS / 1_024);
const { userCPUTime, systemCPUTime } = process.resourceUsage();
const cpuMs = Math.round((userCPUTime + systemCPUTime) / 1_000);
const [load] = loadavg();
process.send?.({ ms, cpuMs, load, accounts: ledger.tables.accounts.table.size, peakMemoryMiB });
process.on("disconnect", () => process.exit());
