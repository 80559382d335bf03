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
/** After this run time, a worker counts as healthy: the restart delay starts over. */
const wellAfterMs = 60_000;
const killAfterMs = 40_000;
const mostWorkers = 256;

/** The number of requested workers; 0 = one per processor. @throws UsageError when it is too many */
export function workerCount(asked: number): number {
  if (asked > mostWorkers) throw new UsageError(`--workers must be from 0 to ${mostWorkers}, not ${asked}.`);
  return asked === 0 ? availableParallelism() : asked;
}

/**
 * Several processes that run the same command and share its port: the system assigns each connection to one of them.
 * One that crashes is restarted, with increasing delays, while the others continue.
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
  /** The details reported by the first one, once all have started; rejects like `failed`. */
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

  /** Stops all and waits for their end; kills those that take too long. */
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
        ? new UsageError("A worker cannot run with these settings: see its message above.")
        : new Error(`A worker ended while it started (code ${code}, signal ${signal}): see its messages above`),
    );
  }

  #startLater(code: number | null, signal: string | null): void {
    this.#log.error({ code, signal, waitMs: this.#waitMs }, "A worker ended unexpectedly and is restarted");
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#start();
    }, this.#waitMs);
    this.#timers.add(timer);
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs);
  }
}

/**
 * A worker is stopped by a message, because a signal may have reached it from the terminal already, and because
 * `disconnect` would wait until its clients leave before the worker is notified.
 */
async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  if (worker.isConnected()) worker.send(stopMessage, () => undefined);
  const timer = setTimeout(() => worker.process.kill("SIGKILL"), killAfterMs);
  await exited;
  clearTimeout(timer);
}
