import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { GraphQLSchema } from "graphql";
import type { Logger } from "pino";
import { type ServerOptions, type WebSocket, WebSocketServer } from "ws";
import type { Context } from "../../schema/context.js";
import { serviceUnavailable } from "../../schema/errors.js";
import { CloseCode } from "./close-code.js";
import { Connection, type ConnectionCounters } from "./connection.js";
import { Feeds } from "./feeds.js";
import { defaultLimits, type WebSocketLimits } from "./limits.js";
import { MissedReader } from "./missed.js";
import { refuseBadHandshakes, refuseUpgrade } from "./refuse-upgrade.js";
import type { UpgradeRouter } from "./upgrade.js";

/** Where the channels are served. */
export const WEBSOCKET_PATH = "/ws";

export interface WebSocketOptions {
  /** Of the HTTP server whose port is shared. */
  readonly upgrades: UpgradeRouter;
  /** Must have every channel as a subscription. */
  readonly schema: GraphQLSchema;
  /** Context of all operations: what is asked here reads nothing by its loaders. */
  readonly contextValue: Context;
  readonly log: Logger;
  readonly limits?: Partial<WebSocketLimits> | undefined;
}

/** What is going on now, and counters since the start. */
export interface WebSocketStats extends Readonly<ConnectionCounters> {
  readonly connections: number;
  /** Different topics in use, one GraphQL subscription each. */
  readonly topics: number;
  /** Upgrades answered with 503. */
  readonly connectionsRefused: number;
}

export interface WebSocketGateway {
  /** Closes every connection with 1001 and waits until all are gone. The event source is to be closed after it. */
  close(): Promise<void>;
  stats(): WebSocketStats;
}

/**
 * Serves the channels at `/ws` of an HTTP server.
 * @throws Error when the schema lacks a channel
 */
export function attachWebSocket(options: WebSocketOptions): WebSocketGateway {
  const gateway = new Gateway(options);
  return { close: () => gateway.close(), stats: () => gateway.stats() };
}

class Gateway {
  readonly #log: Logger;
  readonly #limits: WebSocketLimits;
  readonly #contextValue: Context;
  readonly #feeds: Feeds;
  readonly #missed: MissedReader;
  readonly #upgrades: WebSocketServer;
  readonly #connections = new Set<Connection>();
  readonly #counters: ConnectionCounters = {
    subscriptions: 0,
    messagesSent: 0,
    requestsRefused: 0,
    slowClosed: 0,
    deadCut: 0,
  };
  readonly #heartbeat: NodeJS.Timeout;
  #connectionsRefused = 0;
  #closed: Promise<void> | undefined;
  #onEmpty: () => void = () => undefined;

  constructor({ upgrades, schema, contextValue, log, limits }: WebSocketOptions) {
    this.#log = log;
    this.#contextValue = contextValue;
    this.#limits = { ...defaultLimits, ...limits };
    this.#feeds = new Feeds({ schema, contextValue, log });
    this.#missed = new MissedReader({ schema, contextValue, log });
    this.#upgrades = new WebSocketServer(this.#serverOptions());
    refuseBadHandshakes(this.#upgrades);
    this.#heartbeat = setInterval(() => this.#pingAll(), this.#limits.pingIntervalMs);
    upgrades.add(WEBSOCKET_PATH, this.#upgrade);
  }

  stats(): WebSocketStats {
    return {
      ...this.#counters,
      connections: this.#connections.size,
      topics: this.#feeds.size,
      connectionsRefused: this.#connectionsRefused,
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
    for (const connection of this.#connections) connection.close(CloseCode.goingAway, "The gateway is going down");
    if (this.#connections.size > 0) await empty;
    this.#feeds.close();
  }

  /** `closeTimeout` is documented by ws, its type declarations lack it. No compression: it costs memory and time for each client. */
  #serverOptions(): ServerOptions & { closeTimeout: number } {
    return {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#limits.messageBytes,
      closeTimeout: this.#limits.closeTimeoutMs,
    };
  }

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    if (this.#closed) {
      this.#refuse(socket, "the gateway is going down");
    } else if (this.#connections.size >= this.#limits.connections) {
      this.#refuse(socket, `the limit of ${this.#limits.connections} connections is reached`);
    } else {
      this.#upgrades.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket, socket, request));
    }
  };

  #refuse(socket: Duplex, message: string): void {
    this.#connectionsRefused += 1;
    this.#log.warn({ connections: this.#connections.size }, "a WebSocket connection was refused");
    refuseUpgrade(socket, serviceUnavailable(message));
  }

  #accept(socket: WebSocket, stream: Duplex, { url = "" }: IncomingMessage): void {
    const asksForSequence = new URLSearchParams(url.split("?", 2)[1]).has("sequence");
    const connection = new Connection({
      socket,
      stream,
      sequence: asksForSequence ? this.#contextValue.events.sequence : undefined,
      feeds: this.#feeds,
      missed: this.#missed,
      limits: this.#limits,
      counters: this.#counters,
    });
    this.#connections.add(connection);
    socket.on("close", () => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#onEmpty();
    });
  }

  #pingAll(): void {
    for (const connection of this.#connections) connection.ping();
  }
}
