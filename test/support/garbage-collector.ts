import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { WebSocket } from "ws";
import type { TestProcess } from "./process.js";

/** Node option of a process whose garbage can be collected. */
export const INSPECTED = { NODE_OPTIONS: "--inspect=127.0.0.1:0" } as const;

/** Collects the garbage of a process that runs with {@link INSPECTED}, so that its memory shows what it retains. */
export class GarbageCollector {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async connect(process: TestProcess): Promise<GarbageCollector> {
    const line = await process.waitFor(/Debugger listening on (ws:\S+)/);
    const socket = new WebSocket(line.slice(line.indexOf("ws:")));
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return new GarbageCollector(socket);
  }

  /** Resolves when it is done. */
  async collect(): Promise<void> {
    const done = new Promise((resolve) => this.#socket.once("message", resolve));
    this.#socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" }));
    await done;
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** Collects the garbage of this process. */
export function collectOwnGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
