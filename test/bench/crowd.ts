import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { CrowdOrder, CrowdReport } from "./crowd-process.js";

/** Settings of a gateway that accepts a crowd, which it sees as one client. */
export const crowdSettings = { WS_MAX_CONNECTIONS_PER_CLIENT: "20000" } as const;

/** Many WebSocket clients in their own process. One command at a time. */
export class Crowd {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL("./crowd-process.js", import.meta.url)), { execArgv: [] });
    process.once("exit", () => this.#child.kill("SIGKILL"));
  }

  /** Connects one client per list of topics, and subscribes it. */
  async connect(port: number, topics: readonly (readonly string[])[]): Promise<void> {
    await this.#order({ kind: "connect", port, topics });
  }

  /**
   * Waits until every client has received this number of bytes since the last call.
   * @returns the time, in ns of the clock of `process.hrtime.bigint()`
   */
  expect(bytes: number): Promise<bigint> {
    return this.#order({ kind: "expect", bytes });
  }

  /** Ends the process. */
  end(): void {
    this.#child.kill();
  }

  #order(order: CrowdOrder): Promise<bigint> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error("The crowd's process ended"));
      this.#child.once("exit", ended);
      this.#child.once("message", (report) => {
        this.#child.off("exit", ended);
        resolve(BigInt((report as CrowdReport).at));
      });
      this.#child.send(order);
    });
  }
}
