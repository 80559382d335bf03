import type { Server } from "node:http";
import type { Socket } from "node:net";
import { type Clients, tooManyConnections } from "../clients/clients.js";
import { rejectUpgrade } from "./reject-upgrade.js";

/** The kind under which all connections of a client are counted. */
const KIND = "the port";

const COUNTED = Symbol("counted as a connection");

/**
 * Rejects connections of one client above a limit with 429, over TLS without a response. Connections of trusted
 * proxies, which belong to many clients, are not counted.
 */
export function limitConnections(server: Server, clients: Clients, limit: number, isTls: boolean): void {
  server.on("connection", (socket: Socket & { [COUNTED]?: true }) => {
    const address = socket.remoteAddress ?? "";
    // A connection is passed to the server a second time when it has asked for an upgrade.
    if (socket[COUNTED] || clients.isProxy(address)) return;
    const client = clients.at(address);
    if (clients.isBlocked(address) || (isTls && client.connections(KIND) >= limit)) {
      socket.destroy();
    } else if (client.connections(KIND) >= limit) {
      rejectUpgrade(socket, tooManyConnections(limit, KIND));
    } else {
      socket[COUNTED] = true;
      socket.once("close", clients.open(client, KIND));
    }
  });
}
