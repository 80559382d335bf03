import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { type ApiError, serviceUnavailable } from "../../schema/errors/errors.js";
import { type Client, type Clients, tooManyConnections } from "../clients/clients.js";
import type { FairQueue } from "../clients/fair-queue.js";
import { CloseCode } from "../http/close-code.js";
import { rejectBadHandshakes, rejectUpgrade } from "../http/reject-upgrade.js";
import type { UpgradeHandler, UpgradeRouter } from "../http/upgrade.js";
import { Inbox, type InboxLimits } from "./inbox.js";
import type { SocketConnection } from "./socket-connection.js";

/** Limits of the WebSocket connections at one path, and of what one client sends over all of its connections there. */
export interface SocketLimits extends InboxLimits {
  /** Open connections; one more is answered with HTTP 503. */
  readonly connections: number;
  /** Open connections of one client; one more is answered with HTTP 429. */
  readonly connectionsPerClient: number;
  /** Maximum size of a client's message, in bytes; a larger one closes the connection with 1009. */
  readonly messageBytes: number;
  /** Interval of pings, in ms. */
  readonly pingIntervalMs: number;
  /** Timeout of the closing handshake, in ms. */
  readonly closeTimeoutMs: number;
}

/** A connection whose handshake is complete. */
export interface Accepted {
  readonly socket: WebSocket;
  readonly stream: Duplex;
  readonly request: IncomingMessage;
  readonly client: Client;
  readonly inbox: Inbox;
}

export interface SocketsOptions<Connection> {
  readonly path: string;
  readonly clients: Clients;
  /** In which messages are handled. */
  readonly turns: FairQueue;
  readonly limits: SocketLimits;
  readonly handleProtocols?: NonNullable<ServerOptions["handleProtocols"]>;
  /** Why a handshake is rejected for other reasons than the limits, if it is. */
  readonly rejectionOf: (request: IncomingMessage, client: Client) => ApiError | undefined;
  readonly onRejected?: (error: ApiError) => void;
  readonly open: (accepted: Accepted) => Connection;
  /** A connection did not pass a ping, and was ended. */
  readonly onEnded?: (reason: "stalled" | "dead") => void;
}

/** The WebSocket connections at one path. */
export class Sockets<Connection extends SocketConnection> {
  readonly #options: SocketsOptions<Connection>;
  /** The inboxes by client key; kept for a moment after the last connection. */
  readonly #inboxes = new Map<string, Inbox>();
  readonly #upgrades: WebSocketServer;
  readonly #connections = new Set<Connection>();
  readonly #heartbeat: NodeJS.Timeout;
  #closed: Promise<void> | undefined;
  #onEmpty: () => void = () => undefined;

  constructor(options: SocketsOptions<Connection>) {
    const { limits, handleProtocols } = options;
    this.#options = options;
    // `closeTimeout` is documented by ws, its type declarations lack it. No compression: it costs memory and time.
    const serverOptions: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: limits.messageBytes,
      closeTimeout: limits.closeTimeoutMs,
      ...(handleProtocols && { handleProtocols }),
    };
    this.#upgrades = new WebSocketServer(serverOptions);
    rejectBadHandshakes(this.#upgrades);
    this.#heartbeat = setInterval(() => this.#pingAll(), limits.pingIntervalMs).unref();
  }

  /** Serves a port. */
  serve(upgrades: UpgradeRouter): void {
    upgrades.add(this.#options.path, this.#upgrade);
  }

  /** Number of open connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Closes every connection with 1001 and resolves when all are closed. */
  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  async #shutDown(): Promise<void> {
    clearInterval(this.#heartbeat);
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const connection of this.#connections) connection.close(CloseCode.goingAway, "The gateway is shutting down");
    if (this.#connections.size > 0) await empty;
  }

  readonly #upgrade: UpgradeHandler = (request, stream, head) => {
    const client = this.#options.clients.of(request);
    const error = this.#findRejection(request, client);
    if (error) {
      this.#options.onRejected?.(error);
      rejectUpgrade(stream, error);
      return;
    }
    this.#upgrades.handleUpgrade(request, stream, head, (socket) => this.#accept(socket, stream, request, client));
  };

  #findRejection(request: IncomingMessage, client: Client): ApiError | undefined {
    const { path, limits, rejectionOf } = this.#options;
    const { connections, connectionsPerClient } = limits;
    if (this.#closed) return serviceUnavailable("the gateway is shutting down");
    const rejection = rejectionOf(request, client);
    if (rejection) return rejection;
    if (this.size >= connections) return serviceUnavailable(`the limit of ${connections} connections is reached`);
    const hasTooMany = client.connections(path) >= connectionsPerClient;
    return hasTooMany ? tooManyConnections(connectionsPerClient, path) : undefined;
  }

  #accept(socket: WebSocket, stream: Duplex, request: IncomingMessage, client: Client): void {
    const { path, limits, clients, turns, open } = this.#options;
    const inbox = this.#inboxes.get(client.key) ?? new Inbox(client.key, turns, limits);
    this.#inboxes.set(client.key, inbox);
    const closed = clients.open(client, path);
    const connection = open({ socket, stream, request, client, inbox });
    this.#connections.add(connection);
    socket.on("close", () => {
      this.#connections.delete(connection);
      closed();
      if (this.#connections.size === 0) this.#onEmpty();
    });
  }

  #pingAll(): void {
    for (const connection of this.#connections) {
      const reason = connection.ping();
      if (reason) this.#options.onEnded?.(reason);
    }
    // With a delay: otherwise a reconnecting client would start with full buckets.
    for (const [key, inbox] of this.#inboxes) if (inbox.isUnused) this.#inboxes.delete(key);
  }
}
