import { NodeClient } from "../../catapult/wire/node-client.js";
import { backfill } from "../../indexer/backfill/backfill.js";
import { SnapshotError } from "../../indexer/snapshot/errors.js";
import { restoreTables } from "../../indexer/snapshot/restore-tables.js";
import { saveSnapshot } from "../../indexer/snapshot/save.js";
import { Snapshot } from "../../indexer/snapshot/snapshot.js";
import { databaseUrlOf, openDatabase } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import { credentialsOf, executionOf, nodesOf, stateRulesOf } from "../parts/parts.js";
import { requireSchema } from "../parts/schema-check.js";
import { FillProgress, SnapshotBar } from "../process/progress-bar.js";
import { type Parts, runUntilStopped } from "../process/shutdown.js";
import { UsageError } from "../process/usage-error.js";
import { programVersion } from "../process/version.js";
import type { Settings } from "../settings/settings.js";
import { explainBackfill, jobsOf, logReport } from "./backfill.js";
import type { Command, GivenOptions } from "./command.js";

/** `symbol-gateway snapshot save|restore <file>` */
export const snapshotCommand: Command = {
  description:
    "save writes what cannot be computed into a compressed file: the blocks of the index, and the finalization proofs of\n" +
    "the first of CATAPULT_NODES that answers. An indexer may write meanwhile. With --full it writes all tables instead.\n" +
    "restore verifies the whole file first, and names the block if one was changed. Then it fills an empty database: it\n" +
    "executes and verifies every block, as backfill does, and resumes if it was stopped; or, from a full snapshot, copies\n" +
    "the tables in one transaction and verifies the roots of the state trees and the head.\n" +
    "A full snapshot is as trustworthy as its source: only its state is verified against the chain.\n" +
    "Exit code 0 if the snapshot is saved or restored, 1 if it was stopped before.",
  operands: [
    { name: "action", meaning: "save or restore", words: ["save", "restore"] },
    { name: "file", meaning: "the snapshot; save does not overwrite a file" },
  ],
  options: {
    full: { kind: "flag", meaning: "save all tables: several times larger, but restored without executing blocks" },
    offline: { kind: "flag", meaning: "save without a node: nothing is final after restoring until votes prove it" },
    jobs: { kind: "number", meaning: "number of decoding threads of restore (default: as for backfill)" },
  },
  settings: ["database", "node", "indexer", "log"],
  finds: ["node"],
  async run(settings, options) {
    return options.action === "save" ? save(settings, options) : restore(settings, options);
  },
};

/** Runs work that ends when it is done or stopped. @returns the exit code */
async function runStoppable(
  log: ReturnType<typeof createLog>,
  work: (parts: Parts, signal: AbortSignal) => Promise<boolean>,
): Promise<number> {
  let isDone = false;
  const code = await runUntilStopped(log, async (parts) => {
    const abort = new AbortController();
    const working = work(parts, abort.signal);
    parts.add("snapshot", async () => {
      abort.abort();
      await working.catch(() => undefined);
    });
    isDone = await working.catch((error: unknown) => {
      if (abort.signal.aborted) return false;
      return explainBackfill(error);
    });
    return 0;
  });
  return isDone ? code : 1;
}

function save(settings: Settings, { file, full, offline }: GivenOptions): Promise<number> {
  const log = createLog("snapshot", settings);
  return runStoppable(log, async (_parts, signal) => {
    const databaseUrl = await databaseUrlOf(settings);
    await requireSchema(databaseUrl, log, { writes: true });
    const needsNode = !full && !offline;
    const node = needsNode
      ? new NodeClient({ nodes: [...nodesOf(settings)], credentials: await credentialsOf(settings), log })
      : undefined;
    const bar = new SnapshotBar(log);
    try {
      const report = await saveSnapshot(
        {
          databaseUrl,
          file: String(file),
          program: programVersion(),
          content: full ? "tables" : "blocks",
          log,
          proofOf: node && ((epoch) => node.finalizationProofAtEpoch(epoch)),
          onProgress: (progress) => bar.show(progress),
        },
        signal,
      );
      log.info({ file, ...report }, "Saved the snapshot");
      return true;
    } catch (error) {
      throw explainFile(error, String(file));
    } finally {
      bar.end();
      await node?.close();
    }
  });
}

function restore(settings: Settings, { file, full, jobs }: GivenOptions): Promise<number> {
  const log = createLog("snapshot", settings);
  return runStoppable(log, async (parts, signal) => {
    const snapshot = await Snapshot.open(String(file)).catch((error: unknown) => {
      throw explainFile(error, String(file));
    });
    try {
      const { header } = snapshot;
      if (full && header.content !== "tables") throw new SnapshotError("The snapshot has blocks only: omit --full");
      const bar = new SnapshotBar(log);
      await snapshot.verify((progress) => bar.show(progress), signal).finally(() => bar.end());
      log.info({ file, height: header.height, content: header.content }, "Verified the file");
      const databaseUrl = await openDatabase(settings, log, parts);
      await requireSchema(databaseUrl, log, { writes: true });
      if (header.content === "tables") {
        const restoring = new SnapshotBar(log);
        const onProgress = (progress: Parameters<SnapshotBar["show"]>[0]) => restoring.show(progress);
        await restoreTables({ databaseUrl, snapshot, log, onProgress }, signal).finally(() => restoring.end());
      } else {
        const progress = new FillProgress(log);
        const report = await backfill(
          {
            databaseUrl,
            source: snapshot,
            nodes: [],
            credentials: await credentialsOf(settings),
            log,
            jobs: jobsOf({ jobs }),
            verify: "hashes",
            state: await stateRulesOf(settings),
            execution: await executionOf(settings, log),
            onProgress: (status) => progress.show(status),
          },
          signal,
        ).finally(() => progress.end());
        if (report) logReport(report, log);
        if (!report || report.height < header.height) return false;
      }
      log.info({ file, height: header.height }, "Restored the snapshot");
      return true;
    } finally {
      await snapshot.close();
    }
  });
}

/** Errors of the file system name the file. */
function explainFile(error: unknown, file: string): unknown {
  if (!(error instanceof Error && "syscall" in error && "path" in error)) return error;
  return new UsageError(`${file}: ${error.message}.`, { cause: error });
}
