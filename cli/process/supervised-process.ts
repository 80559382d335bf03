import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { UsageError, usageExitCode } from "./usage-error.js";

const program = fileURLToPath(new URL("../main.js", import.meta.url));
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** A process that ran this long was well: the next wait is the first one again. */
const wellAfterMs = 60_000;
const killAfterMs = 40_000;

/** What {@link SupervisedProcess} runs. */
export interface SupervisedOptions {
  /** A command of this program. */
  readonly command: string;
  /** Settings that differ from ours. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
  /**
   * Called whenever the process says that it has started, with what it says about itself.
   * @returns settings for its later starts, such as the port that it found
   */
  onReady?(details: Readonly<Record<string, unknown>>): Readonly<Record<string, string>>;
}

/**
 * One command of this program as a process of its own, started again when it crashes, after growing waits. It writes
 * its log where we write ours, and ends when we do, even when we are killed.
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
  /** Resolves when the process has started for the first time; rejects as `failed` does. */
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

  /** Asks the process to stop and waits until it has; kills it when that takes too long. */
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
    // In a session of its own: an interrupt typed in the terminal reaches us, and we stop the parts in their order.
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
      this.#reject(new UsageError(`${command} cannot run like this: see its message above.`));
      return;
    }
    if (!this.#wasReady) {
      this.#reject(
        new Error(`${command} ended while it started (code ${code}, signal ${signal}): see its messages above`),
      );
      return;
    }
    if (Date.now() - this.#startedAt > wellAfterMs) this.#waitMs = firstWaitMs;
    log.error({ command, code, signal, waitMs: this.#waitMs }, "A process ended by itself and is started again");
    this.#timer = setTimeout(() => this.#start(), this.#waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, longestWaitMs);
  }
}
