import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A relay between clients and a server that counts the bytes of the server. */
export class CountingRelay {
  received = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(server: { host: string; port: number }): Promise<CountingRelay> {
    const listener = createServer();
    const relay = new CountingRelay(listener);
    listener.on("connection", (client) => {
      const upstream = connect(server.port, server.host);
      for (const socket of [client, upstream]) relay.#keep(socket);
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
      upstream.on("data", (data) => {
        relay.received += data.length;
      });
      client.pipe(upstream);
      upstream.pipe(client);
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    return relay;
  }

  /** The same database through the relay. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.hostname = "127.0.0.1";
    url.port = String((this.#server.address() as AddressInfo).port);
    return url.href;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
