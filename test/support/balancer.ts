import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A balancer of connections, as operators put before gateways: it takes turns among those that it has. */
export class Balancer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #ports: readonly number[] = [];
  #turn = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (client) => {
      const port = this.#ports[this.#turn++ % this.#ports.length];
      if (port === undefined) return client.destroy();
      const upstream = connect(port, "127.0.0.1");
      for (const socket of [client, upstream]) this.#keep(socket);
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroySoon());
      client.pipe(upstream);
      upstream.pipe(client);
      return undefined;
    });
  }

  static async start(): Promise<Balancer> {
    const server = createServer();
    const balancer = new Balancer(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return balancer;
  }

  /** `127.0.0.1:port` */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** New connections lead to these ports from now on; others stay. */
  use(ports: readonly number[]): void {
    this.#ports = ports;
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
