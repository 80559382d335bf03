import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { type Clients, tooManyConnections } from "./clients.js";
import { refuseUpgrade } from "./websocket/refuse-upgrade.js";

/** How connections are counted that speak HTTP; those that became WebSockets have limits of their own. */
const KIND = "HTTP";

/**
 * Rejects connections of one client beyond a limit with 429, over TLS without an answer. Connections of trusted proxies,
 * which are those of many clients, are not counted.
 */
export function limitConnections(server: Server, clients: Clients, limit: number, isTls: boolean): void {
  const counted = new WeakMap<Duplex, () => void>();
  const forget = (socket: Duplex): void => {
    counted.get(socket)?.();
    counted.delete(socket);
  };
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    if (clients.isProxy(address)) return;
    const client = clients.at(address);
    if (client.connections(KIND) < limit) {
      counted.set(socket, clients.open(client, KIND));
      socket.once("close", () => forget(socket));
    } else if (isTls) {
      socket.destroy();
    } else {
      refuseUpgrade(socket, tooManyConnections(limit, KIND));
    }
  });
  server.on("upgrade", (_request, socket) => forget(socket));
}
