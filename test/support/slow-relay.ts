import type { Socket } from "node:net";
import { Relay } from "./relay.js";

/** Number of pieces per second on a slow connection. */
const PIECES_PER_SECOND = 100;

/** A relay between a client and a node that passes the node's bytes on at a fixed rate, like a slow line. */
export class SlowRelay extends Relay {
  readonly #bytesPerSecond: number;

  /** @param bytesPerSecond from the node to the client */
  constructor(node: { readonly host: string; readonly port: number }, bytesPerSecond: number) {
    super(node);
    this.#bytesPerSecond = bytesPerSecond;
  }

  protected relay(client: Socket, upstream: Socket): void {
    client.pipe(upstream);
    trickle(upstream, client, this.#bytesPerSecond);
  }
}

/** By the clock: pieces that a busy machine is late with are sent together. */
function trickle(from: Socket, to: Socket, bytesPerSecond: number): void {
  let waiting = Buffer.alloc(0);
  let sentAt = performance.now();
  from.on("data", (chunk: Buffer) => {
    if (waiting.length === 0) sentAt = performance.now();
    waiting = Buffer.concat([waiting, chunk]);
  });
  const timer = setInterval(() => {
    const bytes = Math.floor(((performance.now() - sentAt) / 1_000) * bytesPerSecond);
    if (waiting.length === 0 || bytes === 0) return;
    to.write(waiting.subarray(0, bytes));
    waiting = waiting.subarray(bytes);
    sentAt += (bytes / bytesPerSecond) * 1_000;
  }, 1_000 / PIECES_PER_SECOND);
  from.on("close", () => clearInterval(timer));
}
