import type { Server } from "node:http";
import { type Clients, tooManyConnections } from "../clients/clients.js";
import { rejectUpgrade } from "./reject-upgrade.js";

/** The kind under which all connections of a client are counted. */
const KIND = "the port";

/**
 * Rejects connections of one client above a limit with 429, over TLS without a response. Connections of trusted
 * proxies, which belong to many clients, are not counted.
 */
export function limitConnections(server: Server, clients: Clients, limit: number, isTls: boolean): void {
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    if (clients.isProxy(address)) return;
    const client = clients.at(address);
    if (clients.isBlocked(address) || (isTls && client.connections(KIND) >= limit)) {
      socket.destroy();
    } else if (client.connections(KIND) >= limit) {
      rejectUpgrade(socket, tooManyConnections(limit, KIND));
    } else {
      socket.once("close", clients.open(client, KIND));
    }
  });
}
