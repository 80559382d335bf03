import type { Logger } from "pino";
import { Clients } from "../clients/clients.js";
import type { WebSocketStats } from "../http/metrics.js";
import type { UpgradeRouter } from "../http/upgrade.js";
import type { SubscriberServices } from "../messages/subscriber.js";
import { Sockets } from "../sockets/sockets.js";
import { Connection } from "./connection.js";
import { defaultLimits, type WebSocketLimits } from "./limits.js";

/** Path of the channels. */
export const WEBSOCKET_PATH = "/ws";

export interface WebSocketOptions {
  readonly messages: SubscriberServices;
  readonly log: Logger;
  /** Tracks connections of any kind; by default without trusted proxies. */
  readonly clients?: Clients | undefined;
  readonly limits?: Partial<WebSocketLimits> | undefined;
}

export interface WebSocketGateway {
  /** Serves a port. */
  serve(upgrades: UpgradeRouter): void;
  /** Closes every connection with 1001 and waits until all are closed. Close the messages after it. */
  close(): Promise<void>;
  stats(): WebSocketStats;
}

/** Opens `/ws`, which has the channels. */
export function openWebSocket(options: WebSocketOptions): WebSocketGateway {
  const { messages, log, clients = new Clients() } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const counters = { subscriptions: 0, messagesSent: 0, requestsRejected: 0, slowClosed: 0, deadCut: 0 };
  const beating = new Set<Connection>();
  const services = { messages, limits, counters, beating };
  // A gateway that cannot start, for example without its TLS files, is not kept running by it.
  const heartbeat = setInterval(() => {
    for (const connection of beating) connection.beat();
  }, limits.heartbeatMs).unref();
  let connectionsRejected = 0;
  const sockets = new Sockets({
    path: WEBSOCKET_PATH,
    clients,
    turns: messages.turns,
    limits,
    rejectionOf: () => messages.events.positionError,
    onRejected: ({ code }) => {
      connectionsRejected += 1;
      // One line per connection would be another way to fill a disk.
      log.debug({ connections: sockets.size, code }, "Rejected a WebSocket connection");
    },
    open: ({ socket, stream, request: { url = "" }, client, inbox }) => {
      const asksForSequence = new URLSearchParams(url.split("?", 2)[1]).has("sequence");
      const sequence = asksForSequence ? messages.events.sequence : undefined;
      return new Connection({ socket, stream, services, clientKey: client.key, inbox, sequence });
    },
    onEnded: (reason) => {
      counters[reason === "stalled" ? "slowClosed" : "deadCut"] += 1;
    },
  });
  return {
    serve: (upgrades) => sockets.serve(upgrades),
    close: () => {
      clearInterval(heartbeat);
      return sockets.close();
    },
    stats: () => ({
      ...counters,
      connections: sockets.size,
      topics: messages.events.topics,
      connectionsRejected,
    }),
  };
}
