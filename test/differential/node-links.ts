import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

const HOST = "127.0.0.1";

/** The connections that one node opens to another one. */
interface Link {
  readonly from: number;
  readonly to: number;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  isCut: boolean;
}

/** Relays from each node of a network to each other one, which can be cut and healed. */
export class NodeLinks {
  readonly #links: Link[] = [];

  /** @param ports where the nodes listen */
  static async open(ports: readonly number[]): Promise<NodeLinks> {
    const links = new NodeLinks();
    for (const from of ports.keys()) {
      for (const [to, port] of ports.entries()) if (from !== to) links.#links.push(await openLink(from, to, port));
    }
    return links;
  }

  /** Port by which a node finds another one. */
  port(from: number, to: number): number {
    const { server } = this.#links.find((link) => link.from === from && link.to === to)!;
    return (server.address() as AddressInfo).port;
  }

  /** Cuts every link between these nodes and the others. */
  separate(nodes: ReadonlySet<number>): void {
    for (const link of this.#links) {
      if (nodes.has(link.from) === nodes.has(link.to)) continue;
      link.isCut = true;
      for (const socket of link.sockets) socket.destroy();
    }
  }

  /** Heals every link. */
  heal(): void {
    for (const link of this.#links) link.isCut = false;
  }

  async close(): Promise<void> {
    for (const { server, sockets } of this.#links) {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    }
  }
}

/** The port stays open while the link is cut: nothing else gets it. */
async function openLink(from: number, to: number, port: number): Promise<Link> {
  const server = createServer();
  const link: Link = { from, to, server, sockets: new Set(), isCut: false };
  server.on("connection", (client) => {
    const upstream = connect(port, HOST);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      link.sockets.add(socket.setNoDelay());
      socket.on("error", () => undefined);
      socket.on("close", () => {
        other.destroy();
        link.sockets.delete(socket);
      });
      socket.pipe(other);
    }
    if (link.isCut) client.destroy();
  });
  await once(server.listen(0, HOST), "listening");
  return link;
}
