import { loadavg } from "node:os";
import { openDatabase } from "../../database/connection.js";
import { loadLedger } from "../../indexer/chain/execution/stored-ledger.js";
import { executableNetwork } from "../support/executable-chain.js";

/** Loads the state in the database of its argument, up to the nine roots. Sends the cost. */

const db = openDatabase({ url: process.argv[2]!, poolSize: 3, statementTimeoutMs: 0, onError: () => undefined });
const { config } = executableNetwork({ seed: 1 }).network;
// Generated accounts have no chain.
const { height = 720, finalized_height = 1 } =
  (await db.selectFrom("head").select(["height", "finalized_height"]).executeTakeFirst()) ?? {};
const startedAt = performance.now();
const ledger = await loadLedger(db, config, height, finalized_height);
ledger.subCacheMerkleRoots();
const ms = performance.now() - startedAt;
const peakMemoryMiB = Math.round(process.resourceUsage().maxRSS / 1_024);
const { userCPUTime, systemCPUTime } = process.resourceUsage();
const cpuMs = Math.round((userCPUTime + systemCPUTime) / 1_000);
const [load] = loadavg();
process.send?.({ ms, cpuMs, load, accounts: ledger.tables.accounts.table.size, peakMemoryMiB });
process.on("disconnect", () => process.exit());
