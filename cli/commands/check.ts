import { checkDatabase } from "../../indexer/check/check.js";
import { describeDifference } from "../../indexer/check/findings.js";
import { findDatabaseUrl } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import { loadCredentials, loadExecution, parseNodes } from "../parts/parts.js";
import { requireSchema } from "../parts/schema-check.js";
import { UsageError } from "../process/usage-error.js";
import type { Command } from "./command.js";

const STDERR = 2;

/** `symbol-gateway check` */
export const checkCommand: Command = {
  description:
    "Verifies the whole database, by itself (stored bytes, rows, counters, state, and the roots of the state trees,\n" +
    "which prove that no entry is missing) and against the first of CATAPULT_NODES that answers (block hashes,\n" +
    "finalization proofs, proven state values), and prints each difference with table, key and column. Changes nothing;\n" +
    "the indexer may run meanwhile. Exit code 0 if there are no differences, 1 otherwise.",
  options: {
    from: { kind: "number", description: "lowest height to check; skips counters and state" },
    to: { kind: "number", description: "highest height to check; skips counters and state" },
    sample: {
      kind: "number",
      description:
        "check at most N random blocks, lists and entries of each kind of state; state trees are always checked completely",
    },
    offline: { kind: "flag", description: "check the database by itself only, without a node" },
  },
  settings: ["database", "node", "log"],
  finds: ["node"],
  async run(settings, { from, to, sample, offline }) {
    const log = createLog("check", settings, STDERR);
    const databaseUrl = await findDatabaseUrl(settings);
    const range = { from: from as number | undefined, to: to as number | undefined };
    if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
      throw new UsageError(`--from ${range.from} must not be above --to ${range.to}.`);
    }
    await requireSchema(databaseUrl, log, { writes: true });
    const { differences, checked, left } = await checkDatabase({
      databaseUrl,
      nodes: offline ? undefined : parseNodes(settings),
      credentials: await loadCredentials(settings),
      execution: await loadExecution(settings, log),
      log,
      ...range,
      sample: sample as number | undefined,
      report: (difference) => process.stdout.write(`${describeDifference(difference)}\n`),
    });
    const counts = [...checked].map(([what, count]) => `${count} ${what}`).join(", ");
    process.stdout.write(`Checked ${counts || "nothing"}.\n`);
    for (const what of left) process.stdout.write(`Skipped: ${what}.\n`);
    process.stdout.write(`${differences === 0 ? "No differences" : `Differences: ${differences}`}.\n`);
    return differences === 0 ? 0 : 1;
  },
};
