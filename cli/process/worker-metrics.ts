import cluster, { type Worker } from "node:cluster";
import type { MetricsExchange, ProcessMetrics } from "../../gateway/http/metrics.js";

/** Timeout in ms after which a worker's metrics are omitted. */
const ANSWER_MS = 3_000;

/** Messages between workers and their parent when metrics are requested. */
type Message =
  | { readonly figures: "asked"; readonly id: number }
  | { readonly figures: "wanted"; readonly id: number }
  | { readonly figures: "given"; readonly id: number; readonly of: ProcessMetrics }
  | { readonly figures: "gathered"; readonly id: number; readonly ofAll: readonly ProcessMetrics[] };

function asMessage(message: unknown): Message | undefined {
  return typeof message === "object" && message !== null && "figures" in message ? (message as Message) : undefined;
}

/** In the parent: collects the metrics of all workers for the one that requests them. To be called once. */
export function relayMetrics(): void {
  let lastId = 0;
  const gatherings = new Map<
    number,
    { missing: number; readonly ofAll: ProcessMetrics[]; readonly done: () => void }
  >();
  const gather = (asker: Worker, askedAs: number): void => {
    const id = ++lastId;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const asked = workers.filter((worker) => worker.isConnected());
    const ofAll: ProcessMetrics[] = [];
    const done = (): void => {
      clearTimeout(timer);
      if (!gatherings.delete(id) || !asker.isConnected()) return;
      asker.send({ figures: "gathered", id: askedAs, ofAll } satisfies Message);
    };
    const timer = setTimeout(done, ANSWER_MS);
    gatherings.set(id, { missing: asked.length, ofAll, done });
    for (const worker of asked) worker.send({ figures: "wanted", id } satisfies Message);
  };
  cluster.on("message", (worker, raw: unknown) => {
    const message = asMessage(raw);
    if (message?.figures === "asked") gather(worker, message.id);
    if (message?.figures !== "given") return;
    const gathering = gatherings.get(message.id);
    if (!gathering) return;
    gathering.ofAll.push(message.of);
    gathering.missing -= 1;
    if (gathering.missing === 0) gathering.done();
  });
}

/** In a worker: requests the metrics of all workers; undefined in other processes. */
export function metricsExchange(): MetricsExchange | undefined {
  if (!cluster.isWorker) return undefined;
  let lastId = 0;
  const waiting = new Map<number, (ofAll: readonly ProcessMetrics[]) => void>();
  let read: () => Promise<ProcessMetrics> = async () => [];
  const send = (message: Message): void => {
    process.send?.(message, undefined, undefined, () => undefined);
  };
  process.on("message", async (raw) => {
    const message = asMessage(raw);
    if (message?.figures === "wanted") send({ figures: "given", id: message.id, of: await read() });
    if (message?.figures === "gathered") {
      waiting.get(message.id)?.(message.ofAll);
      waiting.delete(message.id);
    }
  });
  return {
    answerWith: (readOwn) => {
      read = readOwn;
    },
    gather: () =>
      new Promise((resolve) => {
        const id = ++lastId;
        waiting.set(id, resolve);
        send({ figures: "asked", id });
      }),
  };
}
