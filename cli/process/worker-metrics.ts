import cluster, { type Worker } from "node:cluster";
import type { MetricsExchange, ProcessMetrics } from "../../gateway/http/metrics.js";

/** Timeout in ms after which a worker's metrics are omitted. */
const ANSWER_MS = 3_000;

/** Messages between workers and their parent when metrics are requested. */
type Message =
  | { readonly metrics: "requested"; readonly id: number }
  | { readonly metrics: "collect"; readonly id: number }
  | { readonly metrics: "own"; readonly id: number; readonly of: ProcessMetrics }
  | { readonly metrics: "all"; readonly id: number; readonly ofAll: readonly ProcessMetrics[] };

function asMessage(message: unknown): Message | undefined {
  return typeof message === "object" && message !== null && "metrics" in message ? (message as Message) : undefined;
}

/** In the parent: collects the metrics of all workers for the one that requests them. To be called once. */
export function relayMetrics(): void {
  let lastId = 0;
  const gatherings = new Map<
    number,
    { missing: number; readonly ofAll: ProcessMetrics[]; readonly done: () => void }
  >();
  const gather = (requester: Worker, requestId: number): void => {
    const id = ++lastId;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const connected = workers.filter((worker) => worker.isConnected());
    const ofAll: ProcessMetrics[] = [];
    const done = (): void => {
      clearTimeout(timer);
      if (!gatherings.delete(id) || !requester.isConnected()) return;
      requester.send({ metrics: "all", id: requestId, ofAll } satisfies Message);
    };
    const timer = setTimeout(done, ANSWER_MS);
    gatherings.set(id, { missing: connected.length, ofAll, done });
    for (const worker of connected) worker.send({ metrics: "collect", id } satisfies Message);
  };
  cluster.on("message", (worker, raw: unknown) => {
    const message = asMessage(raw);
    if (message?.metrics === "requested") gather(worker, message.id);
    if (message?.metrics !== "own") return;
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
    if (message?.metrics === "collect") send({ metrics: "own", id: message.id, of: await read() });
    if (message?.metrics === "all") {
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
        send({ metrics: "requested", id });
      }),
  };
}
