import { parentPort } from "node:worker_threads";
import { DryRunLimitError } from "../../ledger/engine/dry-run.js";
import { type KindedEntry, SparseState } from "../../ledger/engine/sparse-state.js";
import { type DryRunReply, type DryRunRequest, perform, receiveMessage, sendMessage } from "./dry-run-job.js";

/** In a thread: tries transactions. Each request is answered before the next one, except one that gives up a job. */

/** The jobs that wait for entries, and how each continues. */
const waiting = new Map<number, (entries: readonly KindedEntry[]) => void>();

function answer(reply: DryRunReply): void {
  sendMessage(parentPort!, reply);
}

function begin({ id, job, config, basis, known }: Extract<DryRunRequest, { job: unknown }>): void {
  const left = [...known];
  const state = new SparseState(config, basis, (keys) => {
    const entries = left.shift();
    if (entries) return Promise.resolve(entries);
    answer({ keys });
    return new Promise((resolve) => waiting.set(id, resolve));
  });
  perform(state, job).then(
    (result) => answer({ result }),
    (error: Error) =>
      answer(error instanceof DryRunLimitError ? { limit: error.message } : { failed: error.stack ?? error.message }),
  );
}

parentPort?.on("message", (bytes: Uint8Array) => {
  const request = receiveMessage<DryRunRequest>(bytes);
  const { id } = request;
  if ("job" in request) {
    begin(request);
    return;
  }
  const resume = waiting.get(id);
  waiting.delete(id);
  if ("entries" in request) resume?.(request.entries);
});
