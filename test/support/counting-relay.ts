import type { Socket } from "node:net";
import { Relay } from "./relay.js";

/** A relay that counts the bytes of the server, and can cut the connections. */
export class CountingRelay extends Relay {
  received = 0;
  /** Number of bytes at which connections are cut. */
  #limit = Number.POSITIVE_INFINITY;

  /** Cuts the connections, once, when the server has sent this number of further bytes. */
  cutAfter(bytes: number): void {
    this.#limit = this.received + bytes;
  }

  override cut(): void {
    this.#limit = Number.POSITIVE_INFINITY;
    super.cut();
  }

  protected relay(client: Socket, upstream: Socket): void {
    upstream.on("data", (data) => {
      this.received += data.length;
      if (this.received >= this.#limit) this.cut();
    });
    client.pipe(upstream);
    upstream.pipe(client);
  }
}
