import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { IndexerProcessStart } from "./indexer-process.js";

const program = fileURLToPath(new URL("./indexer-process.js", import.meta.url));

/** Indexers in their own processes, one after the other. The next process loads its modules while one runs. */
export class KillableIndexer {
  #spare = spawn();
  #running: ChildProcess | undefined;

  /** Starts to follow. */
  async start(options: IndexerProcessStart): Promise<void> {
    const child = this.#spare;
    this.#spare = spawn();
    this.#running = child;
    const started = once(child, "message");
    child.send(options);
    await started;
  }

  /** Ends the process at once, whatever it is doing. @returns when it has ended */
  async kill(): Promise<void> {
    const child = this.#running;
    this.#running = undefined;
    if (!child) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    const [code, signal] = (await gone) as [number | null, string | null];
    if (signal !== "SIGKILL")
      throw new Error(`The indexer ended before it was killed (code ${code}, signal ${signal})`);
  }

  async close(): Promise<void> {
    this.#spare.kill("SIGKILL");
    await this.kill();
  }
}

function spawn(): ChildProcess {
  // Keys, amounts and lists of rules are passed as they are, not as JSON.
  return fork(program, [], { serialization: "advanced", execArgv: [] });
}
