import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { UsageError, usageExitCode } from "./usage-error.js";

const program = fileURLToPath(new URL("../main.js", import.meta.url));
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** After this run time, a process counts as healthy: the restart delay starts over. */
const wellAfterMs = 60_000;
const killAfterMs = 40_000;

/** Options of {@link SupervisedProcess}. */
export interface SupervisedOptions {
  /** A command of this program. */
  readonly command: string;
  /** Settings that differ from ours. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
  /**
   * Called whenever the process reports that it has started, with the details it reports.
   * @returns settings for later starts, such as the port that it found
   */
  onReady?(details: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
}

/**
 * One command of this program as a separate process, restarted after a crash with increasing delays. It logs where we
 * log, and ends when we do, even when we are killed.
 */
export class SupervisedProcess {
  readonly #options: SupervisedOptions;
  #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #startedAt = 0;
  #waitMs = firstWaitMs;
  #timer: NodeJS.Timeout | undefined;
  #stopping = false;
  #wasReady = false;
  #resolveReady: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  /** Resolves when the process has started for the first time; rejects like `failed`. */
  readonly ready: Promise<void>;
  /**
   * Rejects when the process cannot be kept running: it ended before it had ever started, or because of its settings.
   * Never resolves.
   */
  readonly failed: Promise<never>;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#environment = options.environment;
    this.failed = new Promise((_, reject) => {
      this.#reject = reject;
    });
    const started = new Promise<void>((resolve) => {
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

  /** Stops the process and waits for its end; kills it when that takes too long. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (!child) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    await exited;
    clearTimeout(timer);
    this.#reject(new Error(`${this.#options.command} was stopped`));
  }

  #start(): void {
    const { command, log } = this.#options;
    this.#startedAt = Date.now();
    // In its own session: an interrupt typed in the terminal reaches us, and we stop the parts in order.
    const child = spawn(process.execPath, [program, command], {
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, ...this.#environment },
    });
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
    const more = this.#options.onReady?.(message.ready as Record<string, unknown>);
    this.#environment = { ...this.#environment, ...more };
    this.#wasReady = true;
    this.#resolveReady();
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
    if (Date.now() - this.#startedAt > wellAfterMs) this.#waitMs = firstWaitMs;
    log.error({ command, code, signal, waitMs: this.#waitMs }, "A process ended unexpectedly and is restarted");
    this.#timer = setTimeout(() => this.#start(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs);
  }
}
