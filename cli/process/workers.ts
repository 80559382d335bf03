import cluster from "node:cluster";
import { availableParallelism } from "node:os";
import type { Logger } from "pino";
import { program, type ReadyDetails, SupervisedProcess } from "./supervised-process.js";
import { UsageError } from "./usage-error.js";
import { relayMetrics } from "./worker-metrics.js";

const mostWorkers = 256;

/** The number of requested workers; 0 = one per processor. @throws UsageError when it is too many */
export function workerCount(requested: number): number {
  if (requested > mostWorkers) throw new UsageError(`--workers must be from 0 to ${mostWorkers}, not ${requested}.`);
  return requested === 0 ? availableParallelism() : requested;
}

/**
 * Several processes that run the same command and share its port: the system hands each connection to one of them. One
 * that crashes is started again while the others continue.
 */
export class Workers {
  readonly #workers: readonly SupervisedProcess[];
  /** The details reported by the first one, once all have started; rejects like `failed`. */
  readonly ready: Promise<ReadyDetails>;
  /** Rejects when a worker ended before it had ever started. Never resolves. */
  readonly failed: Promise<never>;

  constructor(command: string, count: number, log: Logger) {
    // By default the parent accepts connections without bound: those that one client opens delay all later ones.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary({
      exec: program,
      args: [command],
      execArgv: process.execArgv,
      serialization: "advanced",
    });
    relayMetrics();
    const start = (environment: object) => cluster.fork(environment).process;
    this.#workers = Array.from({ length: count }, () => new SupervisedProcess({ command, log, start }));
    this.failed = Promise.race(this.#workers.map(({ failed }) => failed));
    this.ready = Promise.all(this.#workers.map(({ ready }) => ready)).then(([first]) => first as ReadyDetails);
    for (const promise of [this.failed, this.ready]) promise.catch(() => undefined);
  }

  /** Ids of the processes. */
  get pids(): number[] {
    return this.#workers.map(({ pid }) => pid ?? 0);
  }

  /** Has all stopped, and waits until they have. */
  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
  }
}
