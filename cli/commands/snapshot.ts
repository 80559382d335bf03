import { NodeClient } from "../../catapult/wire/node-client.js";
import { saveSnapshot } from "../../indexer/snapshot/save.js";
import { openSnapshot } from "../../indexer/snapshot/snapshot.js";
import { openDatabase } from "../parts/database.js";
import { createLog } from "../parts/log.js";
import { credentialsOf, nodesOf } from "../parts/parts.js";
import { requireSchema } from "../parts/schema-check.js";
import { describeSaving, Progress } from "../process/progress.js";
import { runUntilStopped } from "../process/shutdown.js";
import type { Settings } from "../settings/settings.js";
import { explainBackfill, runBackfill } from "./backfill.js";
import type { Command } from "./command.js";

/** `symbol-gateway snapshot save|restore <file>` */
export const snapshotCommand: Command = {
  description:
    "save writes what cannot be computed into a compressed file: the blocks of the index, and the finalization proofs of\n" +
    "the first of CATAPULT_NODES that answers. An indexer may write meanwhile. restore fills an empty database from it as\n" +
    "backfill does: it executes and verifies every block, and resumes if it was stopped.\n" +
    "Exit code 0 if the snapshot is saved or restored, 1 if it was stopped before.",
  operands: [
    { name: "action", meaning: "save or restore", words: ["save", "restore"] },
    { name: "file", meaning: "the snapshot; save does not overwrite a file" },
  ],
  options: {
    offline: { kind: "flag", meaning: "save without a node: nothing is final after restoring until votes prove it" },
    jobs: { kind: "number", meaning: "number of decoding threads of restore (default: as for backfill)" },
  },
  settings: ["database", "node", "indexer", "log"],
  finds: ["node"],
  async run(settings, { action, file, offline, jobs }) {
    if (action === "save") return save(settings, String(file), offline === true);
    return runBackfill(settings, { jobs }, await openSnapshot(String(file)).catch(explainBackfill));
  },
};

async function save(settings: Settings, file: string, isOffline: boolean): Promise<number> {
  const log = createLog("snapshot", settings);
  let height: number | undefined;
  const code = await runUntilStopped(log, async (parts) => {
    const databaseUrl = await openDatabase(settings, log, parts);
    await requireSchema(databaseUrl, log, { writes: true });
    const node = new NodeClient({ nodes: [...nodesOf(settings)], credentials: await credentialsOf(settings), log });
    const proofOf = async (epoch: number) => (isOffline ? undefined : node.finalizationProofAtEpoch(epoch));
    const abort = new AbortController();
    const progress = new Progress(log);
    const onProgress = (height: number, target: number) =>
      progress.show(describeSaving(height, target), { height, target });
    const saving = saveSnapshot({ databaseUrl, file, proofOf, onProgress }, abort.signal).finally(() => progress.end());
    parts.add("snapshot", async () => {
      abort.abort();
      await saving.catch(() => undefined);
      await node.close();
    });
    height = await saving.catch((error) => (abort.signal.aborted ? undefined : explainBackfill(error)));
    if (height !== undefined) log.info({ file, height }, "Saved the snapshot");
    return 0;
  });
  return height === undefined ? 1 : code;
}
