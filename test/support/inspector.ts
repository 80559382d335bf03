import { once } from "node:events";
import { WebSocket } from "ws";
import type { TestProcess } from "./process.js";

/** Settings of a process that can be inspected. */
export const INSPECTED = { NODE_OPTIONS: "--inspect=127.0.0.1:0" } as const;

/** A connection to the inspector of a process. */
export class Inspector {
  readonly #socket: WebSocket;
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** @param program started with the options of `INSPECTED` */
  static async of(program: TestProcess): Promise<Inspector> {
    const line = await program.waitFor(/ws:\/\/\S+/);
    const socket = new WebSocket(line);
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
    this.#socket.terminate();
  }
}
