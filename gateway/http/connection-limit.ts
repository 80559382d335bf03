import type { Server } from "node:http";
import { type Clients, tooManyConnections } from "../clients/clients.js";
import { refuseUpgrade } from "./refuse-upgrade.js";

/** How all connections of a client are counted, whatever becomes of them. */
const KIND = "the port";

/**
 * Rejects connections of one client beyond a limit with 429, over TLS without an answer. Connections of trusted proxies,
 * which are those of many clients, are not counted.
 */
export function limitConnections(server: Server, clients: Clients, limit: number, isTls: boolean): void {
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    if (clients.isProxy(address)) return;
    const client = clients.at(address);
    if (clients.isBlocked(address) || (isTls && client.connections(KIND) >= limit)) {
      socket.destroy();
    } else if (client.connections(KIND) >= limit) {
      refuseUpgrade(socket, tooManyConnections(limit, KIND));
    } else {
      socket.once("close", clients.open(client, KIND));
    }
  });
}
