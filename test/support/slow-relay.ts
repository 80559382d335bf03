import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Number of pieces per second on a slow connection. */
const PIECES_PER_SECOND = 100;

/** A relay between a client and a node that passes the node's bytes on at a fixed rate, like a slow line. */
export class SlowRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param bytesPerSecond from the node to the client */
  static async start(node: { host: string; port: number }, bytesPerSecond: number): Promise<SlowRelay> {
    const server = createServer();
    const relay = new SlowRelay(server);
    server.on("connection", (client) => {
      const upstream = connect(node.port, node.host);
      for (const socket of [client, upstream]) relay.#keep(socket);
      client.on("close", () => upstream.destroy());
      upstream.on("close", () => client.destroy());
      client.pipe(upstream);
      trickle(upstream, client, bytesPerSecond);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return relay;
  }

  get address(): { host: string; port: number } {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
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
