import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../support/until.js";

/** Names the folder of the reference's programs: `catapult.server`, its extensions and plugins. */
export const PROGRAMS_SETTING = "CATAPULT_NODE_BIN";
const PROGRAM = "catapult.server";
const START_MS = 60_000;

/** The folder of the reference's programs; undefined if the setting does not name it. */
export function referencePrograms(): string | undefined {
  const folder = process.env[PROGRAMS_SETTING];
  return folder && existsSync(join(folder, PROGRAM)) ? folder : undefined;
}

/** A running node of the reference, with everything in one folder; its output is in `server.log` there. */
export class ReferenceNode {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #exited: Promise<unknown>;
  #hasExited = false;

  /** @param programs folder of its programs @param folder see `writeNodeFolder` */
  constructor(programs: string, folder: string) {
    this.#folder = folder;
    // Its libraries are beside it. It leaves processor time to those who compare.
    this.#child = spawn("nice", ["-n", "5", join(programs, PROGRAM), folder], {
      cwd: folder,
      env: { ...process.env, LD_LIBRARY_PATH: programs },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const log = createWriteStream(join(folder, "server.log"), { flags: "a" });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.pipe(log, { end: false });
    const killWithUs = () => this.#child.kill("SIGKILL");
    process.once("exit", killWithUs);
    this.#exited = once(this.#child, "exit").then(() => {
      this.#hasExited = true;
      process.off("exit", killWithUs);
      log.end();
    });
  }

  /** @throws Error when the node has ended by itself */
  requireRunning(): void {
    if (this.#hasExited) {
      throw new Error(`The node ended (code ${this.#child.exitCode}): see ${this.#folder}/server.log`);
    }
  }

  /** Waits until `isReady` resolves. @throws Error when the node has ended, or after a minute */
  async waitUntil(isReady: () => Promise<unknown>): Promise<void> {
    for (const deadline = Date.now() + START_MS; ; ) {
      this.requireRunning();
      try {
        await isReady();
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await pause(200);
      }
    }
  }

  /** Stops the node as an operator does; kills it when that takes longer than ten seconds. */
  async stop(): Promise<void> {
    if (this.#hasExited) return;
    this.#child.kill("SIGTERM");
    const kill = setTimeout(() => this.#child.kill("SIGKILL"), 10_000);
    await this.#exited;
    clearTimeout(kill);
  }
}
