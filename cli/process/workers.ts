import cluster, { type Worker } from "node:cluster";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { stopMessage } from "./shutdown.js";
import { UsageError, usageExitCode } from "./usage-error.js";
import { relayFigures } from "./worker-figures.js";

const program = fileURLToPath(new URL("../main.js", import.meta.url));
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** A worker that ran this long was well: the next wait is the first one again. */
const wellAfterMs = 60_000;
const killAfterMs = 40_000;
const mostWorkers = 256;

/** How many workers were asked for; 0 stands for one for each processor. @throws UsageError when it is too many */
export function workerCount(asked: number): number {
  if (asked > mostWorkers) throw new UsageError(`--workers must be from 0 to ${mostWorkers}, not ${asked}.`);
  return asked === 0 ? availableParallelism() : asked;
}

/**
 * Several processes that run the same command and share its port: the system hands each connection to one of them. One
 * that crashes is started again, after growing waits, while the others go on.
 */
export class Workers {
  readonly #log: Logger;
  readonly #workers = new Set<Worker>();
  #waitMs = firstWaitMs;
  #timers = new Set<NodeJS.Timeout>();
  #isStopping = false;
  #waiting: number;
  #resolveReady: (details: Readonly<Record<string, unknown>>) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  /** What the first one says of itself, once all have started; rejects as `failed` does. */
  readonly ready: Promise<Readonly<Record<string, unknown>>>;
  /** Rejects when a worker ended before it had ever started. Never resolves. */
  readonly failed: Promise<never>;

  constructor(command: string, count: number, log: Logger) {
    this.#log = log;
    this.#waiting = count;
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    const started = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
      this.#resolveReady = resolve;
    });
    this.ready = Promise.race([started, this.failed]);
    this.ready.catch(() => undefined);
    this.failed.catch(() => undefined);
    cluster.setupPrimary({ exec: program, args: [command], serialization: "advanced" });
    relayFigures(() => [...this.#workers]);
    for (let number = 0; number < count; number++) this.#start();
  }

  /** Ids of the processes. */
  get pids(): number[] {
    return [...this.#workers].map(({ process }) => process.pid ?? 0);
  }

  /** Asks all to stop, and waits until they have; kills what takes too long. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#workers].map(stopWorker));
  }

  #start(): void {
    const worker = cluster.fork();
    const startedAt = Date.now();
    let wasReady = false;
    this.#workers.add(worker);
    worker.on("message", (message: unknown) => {
      if (typeof message !== "object" || message === null || !("ready" in message) || wasReady) return;
      wasReady = true;
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#resolveReady(message.ready as Readonly<Record<string, unknown>>);
    });
    worker.on("error", (err) => this.#log.error({ err }, "A worker could not be started"));
    worker.on("exit", (code, signal) => {
      this.#workers.delete(worker);
      if (this.#isStopping) return;
      if (!wasReady && this.#waiting > 0) return this.#failStart(code, signal);
      if (Date.now() - startedAt > wellAfterMs) this.#waitMs = firstWaitMs;
      this.#startLater(code, signal);
    });
  }

  #failStart(code: number | null, signal: string | null): void {
    this.#reject(
      code === usageExitCode
        ? new UsageError("A worker cannot run like this: see its message above.")
        : new Error(`A worker ended while it started (code ${code}, signal ${signal}): see its messages above`),
    );
  }

  #startLater(code: number | null, signal: string | null): void {
    this.#log.error({ code, signal, waitMs: this.#waitMs }, "A worker ended by itself and is started again");
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#start();
    }, this.#waitMs);
    this.#timers.add(timer);
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs);
  }
}

/**
 * A message tells a worker to stop, because a signal may have reached it from the terminal already, and because
 * `disconnect` would wait until its clients leave before the worker hears of it.
 */
async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  if (worker.isConnected()) worker.send(stopMessage, () => undefined);
  const timer = setTimeout(() => worker.process.kill("SIGKILL"), killAfterMs);
  await exited;
  clearTimeout(timer);
}
