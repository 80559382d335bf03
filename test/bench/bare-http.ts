import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BareAnswer } from "./bare-http-server.js";

/** A bare `node:http` server in its own process. */
export class BareHttp {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#process = child;
  }

  static async start(): Promise<BareHttp> {
    const child = fork(fileURLToPath(new URL("./bare-http-server.js", import.meta.url)), { execArgv: [] });
    const [{ port }] = (await once(child, "message")) as [{ port: number }];
    return new BareHttp(port, child);
  }

  /** Sends the same headers and body from now on. */
  async copy(answer: Response): Promise<void> {
    const headers = Object.fromEntries(answer.headers);
    // Node adds these itself.
    for (const name of ["connection", "date", "keep-alive"]) delete headers[name];
    const body = Buffer.from(await answer.arrayBuffer()).toString("base64");
    this.#process.send({ headers, body } satisfies BareAnswer);
    await once(this.#process, "message");
  }

  stop(): void {
    this.#process.kill();
  }
}
