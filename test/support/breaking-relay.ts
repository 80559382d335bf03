import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP port that leads to a database, and cuts connections when told so, each time that something is sent. */
export class BreakingRelay {
  readonly #server: Server;
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  /** Whether the connection over which something is sent now is cut instead. */
  breaks: () => boolean = () => false;
  /** Number of cut connections. */
  broken = 0;

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
  }

  static async open(target: URL): Promise<BreakingRelay> {
    const server = createServer();
    const relay = new BreakingRelay(server, target);
    server.on("connection", (client) => relay.#relay(client));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return relay;
  }

  /** The same database, by way of this port. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return changed.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(client: Socket): void {
    const database = connect(Number(this.#target.port), this.#target.hostname);
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.on("data", (chunk: Buffer) => {
        if (!this.breaks()) return void other.write(chunk);
        this.broken += 1;
        client.destroy();
      });
    }
  }
}
