import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import type { NodeCredentials } from "../catapult/certificate.js";
import { NodeClient, type NodeEndpoint } from "../catapult/node-client.js";
import { NodeResources } from "../catapult/node-resources.js";
import { Announcer } from "../schema/announcer.js";
import { createContext } from "../schema/context.js";
import { connectionFigures, openDatabase } from "../schema/db/database.js";
import { EventSource } from "../schema/event-source.js";
import { readIndexStatus } from "../schema/index-status.js";
import { NetworkRules } from "../schema/network-rules.js";
import { schema } from "../schema/schema.js";
import { createApp } from "./app.js";
import { Clients } from "./clients.js";
import { limitConnections } from "./connection-limit.js";
import type { GraphqlLimits } from "./graphql/limits.js";
import { attachGraphqlWebSocket } from "./graphql/websocket.js";
import { messageClasses } from "./message-classes.js";
import { type FigureExchange, Metrics } from "./metrics.js";
import { RateLimit, type RateLimitOptions } from "./rate-limit.js";
import { inTurns } from "./request-turns.js";
import { createWebServer, type TlsFiles } from "./tls.js";
import { answerUnreadableRequests } from "./unreadable-request.js";
import { defaultLimits, type WebSocketLimits } from "./websocket/limits.js";
import { UpgradeRouter } from "./websocket/upgrade.js";
import { attachWebSocket } from "./websocket/websocket.js";

export interface GatewayOptions {
  /** PostgreSQL that the indexer writes to. */
  readonly databaseUrl: string;
  /** Where reads go: one replica; default the database itself. */
  readonly databaseReadUrl?: string | undefined;
  /** Connections at most; default 10. */
  readonly databasePoolSize?: number | undefined;
  /** A statement that runs longer is ended, in ms; default 10,000. */
  readonly statementTimeoutMs?: number | undefined;
  /** Tried in this order. */
  readonly nodes: readonly NodeEndpoint[];
  readonly credentials: NodeCredentials;
  /** Folder with the `config-*.properties` of a node of the network; without it `/network/*` answers 503. */
  readonly resourcesDirectory?: string | undefined;
  /** 32 bytes each: whose currency does not circulate, beside that of the nemesis account; default none. */
  readonly uncirculatingPublicKeys?: readonly Buffer[] | undefined;
  /** What `/node/metadata` answers; default nothing. */
  readonly nodeMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** How long a node may take to answer, in ms; default 5,000. */
  readonly nodeTimeoutMs?: number | undefined;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly log: Logger;
  /** Where several processes share the port: how `/metrics` comes by the figures of all. */
  readonly figureExchange?: FigureExchange | undefined;
  /** Default refuse. */
  readonly pageSizeOutOfRange?: "refuse" | "clamp" | undefined;
  /** Largest body, in bytes; default 1,048,576. */
  readonly bodyLimitBytes?: number | undefined;
  /** Answers kept until the head moves, in bytes; default 33,554,432; 0 for none. */
  readonly responseCacheBytes?: number | undefined;
  /** Without it `/graphql` answers callers on this machine only. */
  readonly graphqlToken?: string | undefined;
  readonly webSocketLimits?: Partial<WebSocketLimits> | undefined;
  /** IP addresses and networks of proxies that say in X-Forwarded-For whom they ask for; default none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** How much one GraphQL operation may ask and do; defaults are in `graphql/limits.ts`. */
  readonly graphqlLimits?: Partial<GraphqlLimits> | undefined;
  /** Without it everybody may ask as often as he likes. */
  readonly rateLimit?: RateLimitOptions | undefined;
  /** Without it the port speaks HTTP. */
  readonly tls?: TlsFiles | undefined;
}

export interface Gateway {
  /** Where it listens. */
  readonly port: number;
  /** Takes nothing new, waits a moment for what is under way, and closes everything. */
  stop(): Promise<void>;
}

const DEFAULT_STATEMENT_TIMEOUT_MS = 10_000;
const DEFAULT_NODE_TIMEOUT_MS = 5_000;
const DEFAULT_RESPONSE_CACHE_BYTES = 32 * 1024 * 1024;
const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;
const DEFAULT_POOL_SIZE = 10;
/** The part of the database's connections that requests of one client may use at one time. */
const SHARE_OF_ONE_CLIENT = 0.4;
const requestTurns = { waiting: 200, pipelined: 16, headers: 200, blockMs: 1_000 };
/** Connections of one client besides its WebSockets. */
const HTTP_CONNECTIONS_OF_ONE_CLIENT = 256;
/** A connection whose client neither sends nor takes anything for so long is cut. */
const SILENCE_MS = 60_000;
/** Longer than proxies usually keep a connection, so that they end it and not we while they write. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often Node looks whether these are over; by default they would be kept to within half a minute only. */
const TIMEOUT_CHECK_MS = 1_000;
/** For requests under way when it stops. */
const STOP_GRACE_MS = 5_000;
const IDLE_SWEEP_MS = 50;

/**
 * Starts to serve REST, `/ws` and `/graphql`. It starts without a database and a node too, and answers 503 meanwhile.
 * @throws Error when it cannot listen
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { databaseUrl, log } = options;
  const poolSize = options.databasePoolSize ?? DEFAULT_POOL_SIZE;
  const open = (url: string) =>
    openDatabase({
      url,
      poolSize,
      statementTimeoutMs: options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS,
      applicationName: "symbol-gateway",
      onError: (error) => log.warn({ err: error }, "a database connection was lost"),
    });
  const writeDb = open(databaseUrl);
  const db = options.databaseReadUrl === undefined ? writeDb : open(options.databaseReadUrl);
  const node = new NodeClient({
    nodes: options.nodes,
    credentials: options.credentials,
    log,
    requestTimeoutMs: options.nodeTimeoutMs ?? DEFAULT_NODE_TIMEOUT_MS,
    connectTimeoutMs: options.nodeTimeoutMs ?? DEFAULT_NODE_TIMEOUT_MS,
  });
  const events = new EventSource({ url: databaseUrl, db, log });
  const resources =
    options.resourcesDirectory === undefined ? undefined : new NodeResources(options.resourcesDirectory);
  const announcer = new Announcer({ db: writeDb, node, rules: new NetworkRules(resources) });
  const { uncirculatingPublicKeys = [] } = options;
  const version = readVersion();
  const startedAt = Date.now();
  const figures = () => ({
    version,
    startedAt,
    webSocketConnections: webSocket.stats().connections,
    webSocketSubscriptions: webSocket.stats().subscriptions,
    graphqlConnections: graphqlSocket.connections,
    eventSequence: events.sequence,
  });
  const services = { db, node, events, announcer, resources, uncirculatingPublicKeys, figures };
  const metrics = new Metrics(version, options.figureExchange);
  const rateLimit = options.rateLimit && new RateLimit(options.rateLimit);
  const app = createApp({
    schema,
    services,
    log,
    metrics,
    version,
    nodeMetadata: options.nodeMetadata ?? {},
    pageSizeOutOfRange: options.pageSizeOutOfRange ?? "refuse",
    bodyLimitBytes: options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES,
    responseCacheBytes: options.responseCacheBytes ?? DEFAULT_RESPONSE_CACHE_BYTES,
    graphqlToken: options.graphqlToken,
    graphqlLimits: options.graphqlLimits,
    rateLimit,
  });
  const clients = new Clients(options.trustedProxies);
  const { server, release } = createWebServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      ...messageClasses(app),
    },
    inTurns(app, clients, { ...requestTurns, atOnce: Math.ceil(poolSize * SHARE_OF_ONE_CLIENT) }),
    options.tls,
    log,
  );
  server.setTimeout(SILENCE_MS);
  // One more than may be, so that it shows.
  server.maxHeadersCount = requestTurns.headers + 1;
  const { connectionsPerClient = defaultLimits.connectionsPerClient } = options.webSocketLimits ?? {};
  // Both paths of WebSockets have that limit.
  const connections = HTTP_CONNECTIONS_OF_ONE_CLIENT + 2 * connectionsPerClient;
  limitConnections(server, clients, connections, options.tls !== undefined);
  answerUnreadableRequests(server);
  const upgrades = new UpgradeRouter(server, clients, rateLimit);
  const contextValue = createContext(services);
  const webSocket = attachWebSocket({ upgrades, schema, contextValue, log, clients, limits: options.webSocketLimits });
  const { graphqlToken: token, graphqlLimits } = options;
  const graphqlSocket = attachGraphqlWebSocket({
    upgrades,
    schema,
    services,
    log,
    clients,
    token,
    graphqlLimits,
    limits: { connectionsPerClient },
  });
  metrics.follow({
    webSocket: () => webSocket.stats(),
    index: () => readIndexStatus(services),
    connections: () => connectionFigures(db),
    eventSequence: () => events.sequence,
    graphqlConnections: () => graphqlSocket.connections,
    requestsLimited: () => rateLimit?.refused ?? 0,
  });
  const closeServices = async () => {
    release();
    await Promise.all([webSocket.close(), graphqlSocket.close()]);
    await events.close();
    await node.close();
    await Promise.all([...new Set([db, writeDb])].map((one) => one.destroy()));
  };
  try {
    await listen(server, options.host, options.port);
  } catch (error) {
    await closeServices();
    throw error;
  }
  void events.start();
  const { port } = server.address() as AddressInfo;
  log.info({ host: options.host, port }, "the gateway listens");
  return {
    port,
    stop: async () => {
      const closed = closeServer(server);
      await Promise.all([webSocket.close(), graphqlSocket.close()]);
      // Ends the subscriptions of /graphql over HTTP, whose answers would have no end.
      await events.close();
      await closed;
      await closeServices();
      log.info("the gateway has stopped");
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Connections are closed as soon as they have no request under way, and all of them after a while. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    const cut = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cut);
      resolve();
    });
  });
}

/** The program's own version: `package.json` stands beside the folder of compiled files. */
function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
