import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { Backoff } from "../../catapult/wire/backoff.js";
import { stopMessage } from "./shutdown.js";
import { UsageError, usageExitCode } from "./usage-error.js";

/** The file of this program, which every process of it runs. */
const program = fileURLToPath(new URL("../main.js", import.meta.url));

const waits = { initialMs: 500, maxMs: 30_000, jitter: 0 };
/** After this run time, a process counts as healthy: the restart delay starts over. */
const wellAfterMs = 60_000;
const killAfterMs = 40_000;

/** Settings of a process that differ from ours. */
export type ProcessEnvironment = Readonly<Record<string, string>>;

/** What differs when a process is started again. */
export interface Restart {
  readonly args?: readonly string[];
  readonly environment?: ProcessEnvironment;
}

/** What a process says about itself once it has started. */
export type ReadyDetails = Readonly<Record<string, unknown>>;

/** Options of {@link SupervisedProcess}. */
export interface SupervisedOptions {
  /** The command of this program that it runs. */
  readonly command: string;
  readonly environment?: ProcessEnvironment;
  readonly log: Logger;
  /**
   * Called whenever the process says that it has started.
   * @returns what its later starts need, such as the port that it found
   */
  readonly onReady?: ((details: ReadyDetails) => Restart) | undefined;
}

/**
 * One command of this program as a process of its own, started again when it crashes, after growing waits. It ends when
 * we do, even when we are killed.
 */
export class SupervisedProcess {
  readonly #options: SupervisedOptions;
  readonly #backoff = new Backoff(waits);
  #environment: ProcessEnvironment;
  #args: readonly string[] = [];
  #child: ChildProcess | undefined;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;
  #wasReady = false;
  #resolveReady: (details: ReadyDetails) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  /** What the process said when it had started for the first time; rejects as `failed` does. */
  readonly ready: Promise<ReadyDetails>;
  /**
   * Rejects when the process ended before it had ever started, and when it ended because a setting has to be changed:
   * starting it again would not help. Never resolves.
   */
  readonly failed: Promise<never>;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#environment = options.environment ?? {};
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    const started = new Promise<ReadyDetails>((resolve) => {
      this.#resolveReady = resolve;
    });
    this.ready = Promise.race([started, this.failed]);
    this.ready.catch(() => undefined);
    this.failed.catch(() => undefined);
    this.#start();
  }

  /** Process id, undefined between two starts. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Has the process stopped and waits until it has; kills it when that takes too long. A message says so, because a signal
   * may have reached it from the terminal already, and a second one ends it at once.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (!child) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    if (child.connected) child.send(stopMessage, () => undefined);
    else child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    await exited;
    clearTimeout(timer);
    this.#reject(new Error(`${this.#options.command} was stopped`));
  }

  #start(): void {
    const { command, log } = this.#options;
    this.#startedAt = Date.now();
    const child = startApart([command, ...this.#args], this.#environment);
    this.#child = child;
    const killWithUs = (): void => {
      child.kill("SIGKILL");
    };
    process.once("exit", killWithUs);
    child.on("error", (err) => log.error({ command, err }, "A process could not be started"));
    child.on("message", (message) => this.#message(message));
    child.on("exit", (code, signal) => {
      process.off("exit", killWithUs);
      this.#child = undefined;
      this.#exited(code, signal);
    });
  }

  #message(message: unknown): void {
    if (typeof message !== "object" || message === null || !("ready" in message)) return;
    const details = message.ready as ReadyDetails;
    const { args = [], environment } = this.#options.onReady?.(details) ?? {};
    this.#args = args;
    this.#environment = { ...this.#environment, ...environment };
    this.#wasReady = true;
    this.#resolveReady(details);
  }

  #exited(code: number | null, signal: string | null): void {
    const { command, log } = this.#options;
    if (this.#stopping) return;
    if (code === usageExitCode) {
      this.#reject(new UsageError(`${command} cannot run with these settings: see its message above.`));
      return;
    }
    if (!this.#wasReady) {
      this.#reject(
        new Error(`${command} ended while it started (code ${code}, signal ${signal}): see its messages above`),
      );
      return;
    }
    if (Date.now() - this.#startedAt > wellAfterMs) this.#backoff.reset();
    const waitMs = this.#backoff.next();
    log.error({ command, code, signal, waitMs }, "A process ended unexpectedly and is restarted");
    this.#timer = setTimeout(() => this.#start(), waitMs);
  }
}

/** With a channel to us, its log where we write ours, and in its own session: an interrupt typed in the terminal reaches us, and we stop the parts in order. */
function startApart(args: readonly string[], environment: ProcessEnvironment): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, ...environment },
  });
}
