import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "./free-port.js";

/** Where a relay leads. */
interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A TCP port that leads to a database or a node; how the bytes pass is up to the kind of relay. */
export abstract class Relay {
  /** Open connections of clients, each with the one that it leads to: they end together. */
  protected readonly pairs = new Set<readonly [client: Socket, upstream: Socket]>();
  readonly #target: Endpoint;
  #server: Server | undefined;
  #port = 0;

  /** @param target the URL of a database, or a node */
  constructor(target: string | URL | Endpoint) {
    const { hostname, port } = typeof target === "string" || target instanceof URL ? new URL(target) : {};
    this.#target = hostname === undefined ? (target as Endpoint) : { host: hostname, port: Number(port) };
  }

  /** Passes on what each socket sends to the other. */
  protected abstract relay(client: Socket, upstream: Socket): void;

  /** Listens: on the same port as before, if it was closed, which nothing else gets meanwhile. */
  async open(): Promise<this> {
    this.#port ||= await freePort();
    const server = createServer((client) => {
      const pair = [client, connect(this.#target.port, this.#target.host)] as const;
      this.pairs.add(pair);
      for (const socket of pair) {
        socket.on("error", () => undefined);
        socket.on("close", () => {
          this.pairs.delete(pair);
          for (const one of pair) one.destroy();
        });
      }
      this.relay(...pair);
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    return this;
  }

  get address(): Endpoint {
    return { host: "127.0.0.1", port: this.#port };
  }

  /** The same database, by way of this port. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${this.#port}`;
    return changed.href;
  }

  /** Cuts all connections; clients can connect again. */
  cut(): void {
    for (const pair of this.pairs) for (const socket of pair) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}
