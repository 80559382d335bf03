import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { pause, until } from "./until.js";

const program = fileURLToPath(new URL("../../cli/main.js", import.meta.url));

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Options of {@link startProcess} besides the arguments. */
export interface StartOptions {
  /** Settings; none of this process' own settings are passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working folder; a `.env` there is read by the program. A temporary folder of this process by default. */
  readonly cwd?: string;
  /** Another script than the command line program. */
  readonly script?: string;
  /** Options of node. */
  readonly execArgv?: readonly string[];
  /** Starts it as a terminal does: without an IPC channel, and without the options of node that a supervisor passes. */
  readonly isUnsupervised?: boolean;
  /** In a process group of its own, which {@link TestProcess.interruptGroup} ends as Ctrl-C does. */
  readonly ownsGroup?: boolean;
}

/**
 * Starts the compiled program `symbol-gateway` (or another script) as a separate process. It is killed at the latest
 * when this process ends; and the program ends by itself when this process is killed.
 */
export function startProcess(args: readonly string[], options: StartOptions = {}): TestProcess {
  return new TestProcess(args, options);
}

/** A running process of a test, with all its output. */
export class TestProcess {
  readonly #child: ChildProcess;
  #output = "";
  /** Resolves when the process has ended and all its output was read. */
  readonly exited: Promise<Exit>;
  #exit: Exit | undefined;

  constructor(
    args: readonly string[],
    { env = {}, cwd = ownFolder(), script = program, execArgv = [], isUnsupervised, ownsGroup }: StartOptions,
  ) {
    const { PATH } = process.env;
    this.#child = spawn(process.execPath, [...execArgv, script, ...args], {
      cwd,
      // The program's per-user data belong to the test too.
      env: { PATH, HOME: cwd, ...env },
      detached: ownsGroup === true,
      stdio: ["ignore", "pipe", "pipe", ...(isUnsupervised ? [] : ["ipc" as const])],
    });
    const killWithUs = (): void => {
      if (ownsGroup) process.kill(-this.pid, "SIGKILL");
      else this.#child.kill("SIGKILL");
    };
    process.once("exit", killWithUs);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    }
    this.exited = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        process.off("exit", killWithUs);
        this.#exit = { code, signal };
        resolve(this.#exit);
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** How it ended; undefined while it runs. */
  get exit(): Exit | undefined {
    return this.#exit;
  }

  /** Everything written to stdout and stderr so far. */
  get output(): string {
    return this.#output;
  }

  /**
   * Waits until the output contains `wanted`, which may span lines.
   * @returns the match
   * @throws Error with the whole output, when the process ends or `timeoutMs` pass before
   */
  async waitFor(wanted: string | RegExp, timeoutMs = 120_000): Promise<string> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const exit = this.#exit;
      const found = typeof wanted === "string" ? this.#output.includes(wanted) : wanted.exec(this.#output);
      if (found) return typeof wanted === "string" ? wanted : (found as RegExpExecArray)[0];
      if (exit) throw this.#error(`ended (code ${exit.code}, signal ${exit.signal}) without writing ${wanted}`);
      if (Date.now() > deadline) throw this.#error(`did not write ${wanted} within ${timeoutMs} ms`);
      await Promise.race([pause(20), this.exited]);
    }
  }

  /** Sends a signal and waits for the end of the process. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Exit> {
    this.#child.kill(signal);
    return this.exited;
  }

  /** Sends SIGINT to the whole process group, as a terminal does on Ctrl-C, and waits until all output is closed. */
  async interruptGroup(): Promise<Exit> {
    process.kill(-this.pid, "SIGINT");
    return this.exited;
  }

  #error(message: string): Error {
    return new Error(`The process ${this.#child.spawnargs.slice(1).join(" ")} ${message}. It wrote:\n${this.#output}`);
  }
}

let folder: string | undefined;

/** Removed when this process ends. One that all share would belong to the user who ran tests first. */
function ownFolder(): string {
  if (folder === undefined) {
    const made = mkdtempSync(path.join(tmpdir(), "symbol-gateway-home-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return folder;
}

/** Whether there is a process with this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Waits until there is no process with this id. @throws Error after `timeoutMs` */
export async function waitForEnd(pid: number, timeoutMs = 120_000): Promise<void> {
  await until(() => !isAlive(pid), `process ${pid} has ended`, timeoutMs);
}
