import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BareAnswer } from "./bare-http-server.js";
import { ServerProcess } from "./server-process.js";

/** A bare `node:http` server in its own process. */
export class BareHttp {
  readonly #server: ServerProcess;

  private constructor(server: ServerProcess) {
    this.#server = server;
  }

  static async start(): Promise<BareHttp> {
    return new BareHttp(await ServerProcess.start(fileURLToPath(new URL("./bare-http-server.js", import.meta.url))));
  }

  get port(): number {
    return this.#server.port;
  }

  /** Sends the same headers and body from now on. */
  async copy(answer: Response): Promise<void> {
    const headers = Object.fromEntries(answer.headers);
    // Node adds these itself.
    for (const name of ["connection", "date", "keep-alive"]) delete headers[name];
    const body = Buffer.from(await answer.arrayBuffer()).toString("base64");
    this.#server.process.send({ headers, body } satisfies BareAnswer);
    await once(this.#server.process, "message");
  }

  stop(): void {
    this.#server.stop();
  }
}
