import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import { type ApiError, serviceUnavailable } from "../../schema/services/errors.js";
import { type Client, Clients, tooManyConnections } from "../clients/clients.js";
import { Intake } from "../clients/intake.js";
import { CloseCode } from "../http/close-code.js";
import type { WebSocketStats } from "../http/metrics.js";
import { rejectBadHandshakes, rejectUpgrade } from "../http/reject-upgrade.js";
import type { UpgradeRouter } from "../http/upgrade.js";
import type { Messages } from "../messages/messages.js";
import { Connection, type ConnectionServices } from "./connection.js";
import { defaultLimits, type WebSocketLimits } from "./limits.js";

/** Path of the channels. */
export const WEBSOCKET_PATH = "/ws";

export interface WebSocketOptions {
  /** Of the HTTP server whose port is shared. */
  readonly upgrades: UpgradeRouter;
  readonly messages: Messages;
  readonly log: Logger;
  /** Tracks connections of any kind; by default without trusted proxies. */
  readonly clients?: Clients | undefined;
  readonly limits?: Partial<WebSocketLimits> | undefined;
}

export interface WebSocketGateway {
  /** Closes every connection with 1001 and waits until all are closed. Close the messages after it. */
  close(): Promise<void>;
  stats(): WebSocketStats;
}

/** Serves the channels at `/ws` of an HTTP server. */
export function attachWebSocket(options: WebSocketOptions): WebSocketGateway {
  const gateway = new Gateway(options);
  return { close: () => gateway.close(), stats: () => gateway.stats() };
}

class Gateway {
  readonly #log: Logger;
  readonly #messages: Messages;
  readonly #services: ConnectionServices;
  readonly #clients: Clients;
  /** By client key; kept for a moment after the last connection. */
  readonly #intakes = new Map<string, Intake>();
  readonly #upgrades: WebSocketServer;
  readonly #connections = new Set<Connection>();
  readonly #heartbeat: NodeJS.Timeout;
  #connectionsRejected = 0;
  #closed: Promise<void> | undefined;
  #onEmpty: () => void = () => undefined;

  constructor({ upgrades, messages, log, clients, limits: given }: WebSocketOptions) {
    this.#log = log;
    this.#messages = messages;
    this.#clients = clients ?? new Clients();
    const limits = { ...defaultLimits, ...given };
    const counters = { subscriptions: 0, messagesSent: 0, requestsRejected: 0, slowClosed: 0, deadCut: 0 };
    this.#services = { messages, limits, counters };
    this.#upgrades = new WebSocketServer(serverOptions(limits));
    rejectBadHandshakes(this.#upgrades);
    this.#heartbeat = setInterval(() => this.#pingAll(), limits.pingIntervalMs);
    upgrades.add(WEBSOCKET_PATH, this.#upgrade);
  }

  stats(): WebSocketStats {
    return {
      ...this.#services.counters,
      connections: this.#connections.size,
      topics: this.#messages.feeds.size,
      connectionsRejected: this.#connectionsRejected,
    };
  }

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

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const { connections, connectionsPerClient } = this.#services.limits;
    const client = this.#clients.of(request);
    const { positionError } = this.#messages;
    if (this.#closed) {
      this.#reject(socket, serviceUnavailable("the gateway is shutting down"));
    } else if (positionError) {
      this.#reject(socket, positionError);
    } else if (this.#connections.size >= connections) {
      this.#reject(socket, serviceUnavailable(`the limit of ${connections} connections is reached`));
    } else if (client.connections(WEBSOCKET_PATH) >= connectionsPerClient) {
      this.#reject(socket, tooManyConnections(connectionsPerClient, WEBSOCKET_PATH));
    } else {
      this.#upgrades.handleUpgrade(request, socket, head, (webSocket) =>
        this.#accept(webSocket, socket, request, client),
      );
    }
  };

  #reject(socket: Duplex, error: ApiError): void {
    this.#connectionsRejected += 1;
    // One line per connection would be another way to fill a disk.
    this.#log.debug({ connections: this.#connections.size, code: error.code }, "Rejected a WebSocket connection");
    rejectUpgrade(socket, error);
  }

  #accept(socket: WebSocket, stream: Duplex, { url = "" }: IncomingMessage, client: Client): void {
    const asksForSequence = new URLSearchParams(url.split("?", 2)[1]).has("sequence");
    const { messagesPerSecond, bytesPerSecond } = this.#services.limits;
    const intake = this.#intakes.get(client.key) ?? new Intake({ messagesPerSecond, bytesPerSecond });
    this.#intakes.set(client.key, intake);
    const closed = this.#clients.open(client, WEBSOCKET_PATH);
    const connection = new Connection({
      socket,
      stream,
      services: this.#services,
      clientKey: client.key,
      intake,
      sequence: asksForSequence ? this.#messages.sequence : undefined,
    });
    this.#connections.add(connection);
    socket.on("close", () => {
      this.#connections.delete(connection);
      closed();
      if (this.#connections.size === 0) this.#onEmpty();
    });
  }

  #pingAll(): void {
    for (const connection of this.#connections) connection.ping();
    // With a delay: otherwise a reconnecting client would start with a fresh meter.
    for (const [key, intake] of this.#intakes) if (intake.isUnused) this.#intakes.delete(key);
  }
}

/**
 * `closeTimeout` is documented by ws, its type declarations lack it. No compression: it costs memory and time per
 * client.
 */
function serverOptions({ messageBytes, closeTimeoutMs }: WebSocketLimits): ServerOptions & { closeTimeout: number } {
  return {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    closeTimeout: closeTimeoutMs,
  };
}
