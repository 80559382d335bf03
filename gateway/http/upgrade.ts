import type { IncomingMessage, Server, ServerOptions } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "../../schema/errors/errors.js";
import type { RateLimit } from "../../schema/limits/rate-limit.js";
import { Clients, tooManyRequests } from "../clients/clients.js";
import { FairQueue } from "../clients/fair-queue.js";
import type { ConnectionLimit } from "./connection-limit.js";
import { knownConnection } from "./exchange.js";
import { rejectUpgrade } from "./reject-upgrade.js";
import { invalidTarget, normalizeTarget } from "./request-target.js";

/** Handles a WebSocket upgrade: see the `upgrade` event of Node's HTTP server. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Headers that ask for an upgrade: to HTTP/2, as Java's client does with each first request. */
const UPGRADING = new Set(["upgrade", "http2-settings"]);

const WEBSOCKET = "websocket";

export interface UpgradeOptions {
  /** Clients take turns with their new connections; by default no proxy is trusted. */
  readonly clients?: Clients;
  /** The connections of the server, if they are limited. */
  readonly connections?: ConnectionLimit;
  /** Counts each new connection as a request. */
  readonly rateLimit?: RateLimit | undefined;
}

/** Dispatches the upgrades of an HTTP server by path; an unknown path gets 404. */
export class UpgradeRouter {
  readonly #server: Server;
  readonly #rateLimit: RateLimit | undefined;
  readonly #clients: Clients;
  readonly #connections: ConnectionLimit | undefined;
  readonly #turns = new FairQueue();
  readonly #handlers = new Map<string, UpgradeHandler>();

  constructor(server: Server, { clients = new Clients(), connections, rateLimit }: UpgradeOptions = {}) {
    this.#server = server;
    this.#clients = clients;
    this.#connections = connections;
    this.#rateLimit = rateLimit;
    server.on("upgrade", this.#upgrade);
  }

  /** Serves a path. */
  add(path: string, handler: UpgradeHandler): void {
    this.#handlers.set(path, handler);
  }

  readonly #upgrade: UpgradeHandler = (request, socket, head) => {
    // Node no longer handles errors of a socket of an upgrade.
    socket.on("error", ignore);
    // The answers to earlier requests would come after this one's, or within the messages.
    if ((knownConnection(request.socket)?.unanswered ?? 0) > 0) {
      socket.destroy();
      return;
    }
    if (!asksForWebSocket(request)) {
      this.#readAgain(request, socket, head);
      return;
    }
    const client = this.#clients.keyOf(request);
    const waitSeconds = this.#rateLimit?.take(client);
    normalizeTarget(request);
    const rejection = waitSeconds === undefined ? invalidTarget(request) : tooManyRequests(waitSeconds);
    if (rejection) return rejectUpgrade(socket, rejection);
    const handler = this.#handlers.get(pathOf(request));
    if (!handler) {
      const served = [...this.#handlers.keys()].join(" and ");
      rejectUpgrade(socket, new ApiError("ResourceNotFound", `WebSocket connections are served at ${served}`));
      return;
    }
    // The library knows no list of protocols, of which a server chooses one.
    request.headers.upgrade = WEBSOCKET;
    // A handshake takes time: a client that connects repeatedly must not delay others.
    void this.#turns.turn(client).then(() => {
      this.#connections?.release(request.socket);
      try {
        if (!socket.destroyed) handler(request, socket, head);
      } catch (error) {
        socket.destroy();
        throw error;
      }
    });
  };

  /**
   * Lets the server read a request again as one that asks for no upgrade, which HTTP allows: Node without
   * {@link webSocketsOnly} takes every upgrade for one of ours, and does not read its body.
   */
  #readAgain({ method, url, httpVersion, rawHeaders }: IncomingMessage, socket: Duplex, head: Buffer): void {
    const lines = [`${method} ${url} HTTP/${httpVersion}`];
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [name, value] = [rawHeaders[index] as string, rawHeaders[index + 1] as string];
      const kept = name.toLowerCase() === "connection" ? withoutUpgrade(value) : value;
      if (!UPGRADING.has(name.toLowerCase()) && kept !== "") lines.push(`${name}: ${kept}`);
    }
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
    // Each is documented to take connections from elsewhere.
    this.#server.emit("encrypted" in socket ? "secureConnection" : "connection", socket);
  }
}

function withoutUpgrade(connection: string): string {
  const options = connection.split(",").map((option) => option.trim());
  return options.filter((option) => !UPGRADING.has(option.toLowerCase())).join(", ");
}

/** The path of a request without its query. */
function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0]!;
}

/** Whether a request asks for WebSocket, alone or among other protocols. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  const protocols = headers.upgrade?.toLowerCase();
  return protocols === WEBSOCKET || (protocols?.split(",").some((one) => one.trim() === WEBSOCKET) ?? false);
}

/**
 * Options of an HTTP server with which Node (since 24.9) hands over the upgrades to WebSocket only, and serves requests
 * that ask for another protocol as if they had not asked. Older versions hand over all of them.
 */
export const webSocketsOnly: ServerOptions & { readonly shouldUpgradeCallback: typeof asksForWebSocket } = {
  shouldUpgradeCallback: asksForWebSocket,
};

function ignore(): void {}
