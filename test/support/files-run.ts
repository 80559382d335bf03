import { once } from "node:events";
import { WebSocket } from "ws";
import type { TestProcess } from "./process.js";

/** Options of a process whose files are to be counted. */
export const INSPECTED = { NODE_OPTIONS: "--inspect=127.0.0.1:0" } as const;

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** The files of ours that run in some processes, by V8's precise coverage. */
export class FilesRun {
  readonly #inspectors: readonly Inspector[];

  private constructor(inspectors: readonly Inspector[]) {
    this.#inspectors = inspectors;
  }

  /** @param programs started with the options of `INSPECTED` */
  static async of(...programs: readonly TestProcess[]): Promise<FilesRun> {
    const addresses = programs.map(({ output }) => /ws:\/\/\S+/.exec(output)![0]);
    const inspectors = await Promise.all(addresses.map((address) => Inspector.open(address)));
    for (const inspector of inspectors) {
      await inspector.call("Profiler.enable");
      await inspector.call("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    }
    return new FilesRun(inspectors);
  }

  /** The files in which a function runs each of three times that something is done: others run for the process itself. */
  async during(work: (n: number) => Promise<void>): Promise<string[]> {
    let files = await this.#once(() => work(0));
    for (let n = 1; n < 3; n++) {
      const again = new Set(await this.#once(() => work(n)));
      files = files.filter((file) => again.has(file));
    }
    return files;
  }

  close(): void {
    for (const inspector of this.#inspectors) inspector.close();
  }

  async #once(work: () => Promise<void>): Promise<string[]> {
    await this.#take();
    await work();
    return this.#take();
  }

  /** Files in which a function has run since this was last called. */
  async #take(): Promise<string[]> {
    const answers = await Promise.all(this.#inspectors.map((one) => one.call("Profiler.takePreciseCoverage")));
    const scripts = answers.flatMap((answer) => (answer as { result: ScriptCoverage[] }).result);
    const ran = scripts.filter(({ functions }) =>
      functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
    );
    const ours = ran.filter(({ url }) => !url.includes("/node_modules/"));
    return [...new Set(ours.flatMap(({ url }) => /\/dist\/(.*)\.js$/.exec(url)?.[1] ?? []))].sort();
  }
}

/** Prints the number of files, and their names. */
export function printFiles(what: string, files: readonly string[]): void {
  process.stdout.write(`${files.length} files run for ${what}:\n  ${files.join("\n  ")}\n`);
}

/** A connection to the inspector of a process. */
class Inspector {
  readonly #socket: WebSocket;
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(address: string): Promise<Inspector> {
    const socket = new WebSocket(address);
    await once(socket, "open");
    return new Inspector(socket);
  }

  /** @throws Error with the inspector's message */
  call(method: string, params = {}): Promise<unknown> {
    const id = ++this.#calls;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      const read = (data: Buffer): void => {
        const message = JSON.parse(data.toString()) as { id?: number; result?: unknown; error?: { message: string } };
        if (message.id !== id) return;
        this.#socket.off("message", read);
        if (message.error) reject(new Error(`${method}: ${message.error.message}`));
        else resolve(message.result);
      };
      this.#socket.on("message", read);
    });
  }

  close(): void {
    this.#socket.close();
  }
}
