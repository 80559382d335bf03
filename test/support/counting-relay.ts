import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A relay between clients and a server that counts the bytes of the server, and can cut the connections. */
export class CountingRelay {
  received = 0;
  /** Number of bytes at which connections are cut. */
  #limit = Number.POSITIVE_INFINITY;
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
        if (relay.received >= relay.#limit) relay.cut();
      });
      client.pipe(upstream);
      upstream.pipe(client);
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    return relay;
  }

  get address(): { host: string; port: number } {
    return { host: "127.0.0.1", port: (this.#server.address() as AddressInfo).port };
  }

  /** The same database through the relay. */
  urlOf(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.hostname = this.address.host;
    url.port = String(this.address.port);
    return url.href;
  }

  /** Cuts the connections, once, when the server has sent this number of further bytes. */
  cutAfter(bytes: number): void {
    this.#limit = this.received + bytes;
  }

  /** Cuts the connections; clients can connect again. */
  cut(): void {
    this.#limit = Number.POSITIVE_INFINITY;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
