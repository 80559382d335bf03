import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { toClientKey } from "../clients/addresses.js";
import { type Clients, tooManyConnections } from "../clients/clients.js";
import { rejectUpgrade } from "./reject-upgrade.js";

export interface ConnectionLimitOptions {
  /** Where open connections are counted. */
  readonly clients: Clients;
  /** Most connections of one client. */
  readonly limit: number;
  readonly isTls: boolean;
}

/** The kind under which all connections of a client are counted. */
const KIND = "the port";
/** How long a client is blocked, in ms: reading what it has sent has already cost time. */
const BLOCK_MS = 500;

const COUNTED = Symbol("counted as a connection");
const CLIENT = Symbol("key of the client, with which the connection is closed when it is blocked");

type HeldSocket = Socket & { [CLIENT]?: string };

/**
 * Rejects connections of one client above a limit with 429, over TLS without a response, and blocks clients. Connections
 * of trusted proxies, which belong to many clients, are neither counted nor blocked.
 */
export class ConnectionLimit {
  readonly #options: ConnectionLimitOptions;
  /** Connections over which requests may come, by client. */
  readonly #sockets = new Map<string, Set<Duplex>>();
  readonly #blocked = new Set<string>();

  constructor(options: ConnectionLimitOptions) {
    this.#options = options;
  }

  /** Limits the connections of a server. */
  watch(server: Server): void {
    server.on("connection", this.#count);
    server.on(this.#options.isTls ? "secureConnection" : "connection", this.#hold);
  }

  /**
   * Closes all connections of the client of one of them, and rejects new ones for a while: Node reads whatever has arrived
   * over a connection before it can be closed, so that each of them delays all other clients.
   */
  block(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    socket.destroy();
    if (this.#options.clients.isProxy(address)) return;
    const client = toClientKey(address);
    for (const other of this.#sockets.get(client) ?? []) other.destroy();
    if (this.#blocked.has(client)) return;
    this.#blocked.add(client);
    setTimeout(() => this.#blocked.delete(client), BLOCK_MS).unref();
  }

  /** No more requests will come over a connection: it stays open when its client is blocked. */
  release(socket: HeldSocket): void {
    // Its address is not known any more when it is closed.
    const client = socket[CLIENT] ?? "";
    const sockets = this.#sockets.get(client);
    sockets?.delete(socket);
    if (sockets?.size === 0) this.#sockets.delete(client);
  }

  // A connection is passed to the server a second time when it has asked for an upgrade.
  readonly #count = (socket: Socket & { [COUNTED]?: true }): void => {
    const { clients, limit, isTls } = this.#options;
    const address = socket.remoteAddress ?? "";
    if (socket[COUNTED] || clients.isProxy(address)) return;
    const client = clients.at(address);
    const isFull = client.connections(KIND) >= limit;
    if (this.#blocked.has(client.key) || (isTls && isFull)) {
      socket.destroy();
    } else if (isFull) {
      rejectUpgrade(socket, tooManyConnections(limit, KIND));
    } else {
      socket[COUNTED] = true;
      socket.once("close", clients.open(client, KIND));
    }
  };

  readonly #hold = (socket: HeldSocket): void => {
    const address = socket.remoteAddress ?? "";
    if (socket[CLIENT] !== undefined || socket.destroyed || this.#options.clients.isProxy(address)) return;
    const client = toClientKey(address);
    socket[CLIENT] = client;
    const sockets = this.#sockets.get(client) ?? new Set();
    this.#sockets.set(client, sockets.add(socket));
    socket.once("close", () => this.release(socket));
  };
}
