import type { IncomingMessage, Server, ServerOptions } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "../../schema/services/errors.js";
import { Clients } from "../clients/clients.js";
import { FairTurns } from "../clients/fair-turns.js";
import { type RateLimit, tooManyRequests } from "../clients/rate-limit.js";
import { answerPlainly } from "./plain-answer.js";
import { rejectUpgrade } from "./reject-upgrade.js";

/** Handles a WebSocket upgrade: see the `upgrade` event of Node's HTTP server. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Dispatches the upgrades of an HTTP server by path; an unknown path gets 404. */
export class UpgradeRouter {
  readonly #server: Server;
  readonly #rateLimit: RateLimit | undefined;
  readonly #clients: Clients;
  readonly #turns = new FairTurns();
  readonly #handlers = new Map<string, UpgradeHandler>();

  /**
   * @param clients take turns with their new connections; by default without trusted proxies
   * @param rateLimit counts each new connection as a request
   */
  constructor(server: Server, clients = new Clients(), rateLimit?: RateLimit) {
    this.#server = server;
    this.#clients = clients;
    this.#rateLimit = rateLimit;
    server.on("upgrade", this.#upgrade);
  }

  /** Serves a path. */
  add(path: string, handler: UpgradeHandler): void {
    this.#handlers.set(path, handler);
  }

  readonly #upgrade: UpgradeHandler = (request, socket, head) => {
    if (!asksForWebSocket(request)) {
      answerPlainly(this.#server, request, socket, head);
      return;
    }
    const handler = this.#handlers.get(pathOf(request));
    if (!handler) {
      const served = [...this.#handlers.keys()].join(" and ");
      rejectUpgrade(socket, new ApiError("ResourceNotFound", `WebSocket connections are served at ${served}`));
      return;
    }
    const waitSeconds = this.#rateLimit?.take(request);
    if (waitSeconds !== undefined) rejectUpgrade(socket, tooManyRequests(waitSeconds));
    else this.#inTurn(request, socket, () => handler(request, socket, head));
  };

  /** A handshake takes time: a client that connects repeatedly must not delay others. */
  #inTurn(request: IncomingMessage, socket: Duplex, work: () => void): void {
    // Node no longer handles errors of a socket of an upgrade.
    socket.on("error", ignore);
    this.#turns.add(this.#clients.of(request).key, () => {
      socket.off("error", ignore);
      if (!socket.destroyed) work();
      return false;
    });
  }
}

/** The path of a request without its query. */
function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0]!;
}

/** Whether a request asks for WebSocket and not for another protocol. */
function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * Options of an HTTP server with which Node (since 24.9) hands over the upgrades to WebSocket only, and serves requests
 * that ask for another protocol as if they had not asked. Older versions hand over all of them.
 */
export const webSocketsOnly: ServerOptions & { readonly shouldUpgradeCallback: typeof asksForWebSocket } = {
  shouldUpgradeCallback: asksForWebSocket,
};

function ignore(): void {}
