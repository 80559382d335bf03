import { setTimeout as sleep } from "node:timers/promises";
import type { NodeCredentials } from "../catapult/certificate/certificate.js";
import { expiryOf } from "../catapult/certificate/certificate-chain.js";
import type { NodeEndpoint } from "../catapult/wire/node-connector.js";
import { inOnePlace } from "../schema/graph/context.js";
import { openServices, type ServicesOptions } from "../schema/graph/services.js";
import { type Rate, RateLimit } from "../schema/limits/rate-limit.js";
import { readIndexStatus } from "../schema/network/status.js";
import { schema } from "../schema/schema.js";
import { WebhookDeliverer } from "../schema/webhooks/deliverer.js";
import { Access } from "./access/access.js";
import type { NamedToken } from "./access/session.js";
import { ClientLimits } from "./clients/client-limit.js";
import { Clients } from "./clients/clients.js";
import { FairQueue } from "./clients/fair-queue.js";
import type { CompatibilityMode } from "./compatibility/compatibility.js";
import { EventStreams } from "./events/event-streams.js";
import { KnownQueries } from "./graphql/known-queries.js";
import { graphqlServices } from "./graphql/protection.js";
import { GraphqlSockets } from "./graphql/websocket.js";
import { HttpPort } from "./http/http-port.js";
import { KeptAnswers } from "./http/kept-answers.js";
import { Metrics } from "./http/metrics.js";
import type { TlsFiles } from "./http/tls.js";
import { connectGateway } from "./node-connection.js";
import { createApp } from "./rest/app.js";
import type { Extension } from "./rest/extension.js";
import { Nouns } from "./rest/nouns.js";
import { type Deployment, deploymentOf } from "./rest/route/route.js";
import { defaultLimits, type WebSocketLimits } from "./websocket/limits.js";
import { attachWebSocket } from "./websocket/websocket.js";

export interface GatewayOptions extends ServicesOptions {
  /** Of the program, such as `1.2.3`. */
  readonly version: string;
  /** Tried in this order. */
  readonly nodes: readonly NodeEndpoint[];
  readonly credentials: NodeCredentials;
  /** 32 bytes each: accounts excluded from the circulating supply, besides those of the network; default none. */
  readonly uncirculatingPublicKeys?: readonly Buffer[] | undefined;
  /** Content of `/node/metadata`; default empty. */
  readonly nodeMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** Content of `deployment` in `/node/server`; default this program. */
  readonly deployment?: Deployment | undefined;
  /** Timeout of a node's response, in ms; default 5,000. */
  readonly nodeTimeoutMs?: number | undefined;
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Which behaviour applies where the specification and catapult-rest differ; default the specification. */
  readonly compatibility?: CompatibilityMode | undefined;
  /** Size of the response cache, in bytes; default 33,554,432; 0 = no cache. */
  readonly responseCacheBytes?: number | undefined;
  /** Interfaces of other rooms that are served beside those of the gateway. */
  readonly extensions: readonly Extension[];
  /** `/graphql` and `/explorer` require one of these tokens; without any they are disabled. */
  readonly graphqlTokens?: readonly NamedToken[] | undefined;
  /** Without a token: whether they serve local callers. For development; never behind a proxy. */
  readonly answersLocalCallers?: boolean | undefined;
  /** A separate port for `/graphql`, `/explorer`, `/metrics` and `/ready`. */
  readonly internalPort?: InternalPort | undefined;
  readonly webSocketLimits?: Partial<WebSocketLimits> | undefined;
  /** Unlimited if absent. */
  readonly rateLimit?: Rate | undefined;
  /** IP addresses and networks of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Whether this process delivers webhooks, or is on standby for it; default false. */
  readonly deliversWebhooks?: boolean | undefined;
  /** Networks that are not public, and may receive messages of webhooks; default none. */
  readonly webhookPrivateNetworks?: readonly string[] | undefined;
  /** HTTP if absent. */
  readonly tls?: TlsFiles | undefined;
  /** Timeout for receiving a request, in ms; default 30,000. */
  readonly requestTimeoutMs?: number | undefined;
  /** Number of rejected promises that nothing in the process has handled; default 0. */
  readonly unhandledRejections?: (() => number) | undefined;
}

/** The separate port for operators. */
export interface InternalPort {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
}

export interface Gateway {
  /** The public port. */
  readonly port: number;
  /** The port for operators: the same, unless there is a separate one. */
  readonly internalPort: number;
  /** Stops accepting requests, waits a moment for those in progress, and closes everything. */
  stop(): Promise<void>;
}

/** How long a start waits for the position in the events while the database is unreachable, in ms. */
const EVENTS_WAIT_MS = 2_000;
/** Reads of missed events at one time, one per client: they share the database's connections with REST. */
const MISSED_READS_AT_ONCE = 3;
/** Pages of missed events that one client may hold at one time: they are kept until they have been sent. */
const MISSED_PAGES_PER_CLIENT = 16;
const DEFAULT_RESPONSE_CACHE_BYTES = 32 * 1024 * 1024;
/** Shorter tokens cause a warning, in characters. */
const SHORT_TOKEN = 16;

/**
 * Starts serving REST, `/ws` and `/graphql`. It also starts without a database and a node, and answers 503 meanwhile.
 * @throws Error when it cannot listen
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { log } = options;
  const clientLimits = new ClientLimits();
  const onSilence = () => {
    open.events.doubt();
    const rejected = clientLimits.rejectWaiting();
    if (rejected > 0) log.warn({ rejected }, "Database silent: rejected the requests that wait for it");
  };
  const kept = new KeptAnswers(options.responseCacheBytes ?? DEFAULT_RESPONSE_CACHE_BYTES);
  const onNews = (isFollowing: boolean) => kept.renew(isFollowing);
  const pages = clientLimits.create("missedPages", { perClient: MISSED_PAGES_PER_CLIENT });
  const reads = clientLimits.create("missedReads", { total: MISSED_READS_AT_ONCE, perClient: 1 });
  const open = openServices({ ...options, onSilence, onNews, pages, reads }, connectGateway(options));
  const { db, writeDb, node, events, announcer, trials, resources } = open;
  const { version, uncirculatingPublicKeys = [] } = options;
  const startedAt = Date.now();
  const status = () => ({
    version,
    startedAt,
    webSocketConnections: webSocket.stats().connections,
    webSocketSubscriptions: webSocket.stats().subscriptions,
    graphqlConnections: graphqlSocket.connections,
    eventSequence: events.sequence,
  });
  const { webhookPrivateNetworks = [] } = options;
  const services = {
    db,
    writeDb,
    node,
    events,
    announcer,
    trials,
    webhookPrivateNetworks,
    resources,
    uncirculatingPublicKeys,
    status,
  };
  const metrics = new Metrics(version);
  const {
    rateLimit: rateLimitOptions,
    trustedProxies = [],
    graphqlTokens: tokens = [],
    internalPort,
    webSocketLimits: { connectionsPerClient = defaultLimits.connectionsPerClient } = {},
  } = options;
  const rateLimit = rateLimitOptions && new RateLimit(rateLimitOptions);
  const clients = new Clients(trustedProxies, (address) => {
    const message =
      "X-Forwarded-For from an address that is not in TRUSTED_PROXIES: all clients behind it count as one";
    log.warn({ address }, message);
  });
  const access = new Access({ tokens, answersLocalCallers: options.answersLocalCallers });
  for (const { name, token } of tokens.filter((one) => one.token.length < SHORT_TOKEN)) {
    log.warn({ token: name, length: token.length }, "A token in GRAPHQL_TOKEN is short and could be guessed");
  }
  const messages = { db, events, turns: new FairQueue() };
  const streams = new EventStreams({ messages, clients, limits: options.webSocketLimits });
  const ofGraphql = graphqlServices(services);
  const queries = new KnownQueries(schema);
  const openPort = (servesOperators: boolean, keptOfPort: KeptAnswers) => {
    const nouns = new Nouns({
      schema,
      services,
      graphqlServices: ofGraphql,
      queries,
      log,
      metrics,
      version,
      nodeMetadata: options.nodeMetadata ?? {},
      deployment: options.deployment ?? deploymentOf(version),
      compatibility: options.compatibility ?? "spec",
      kept: keptOfPort,
      extensions: options.extensions,
      access,
      servesOperators,
      clientLimits,
      streams,
    });
    const app = createApp({ log, metrics, clients, clientLimits, rateLimit, kept: keptOfPort, nouns });
    return new HttpPort({
      app,
      log,
      rateLimit,
      clients,
      streamsPerClient: connectionsPerClient,
      tls: options.tls,
      requestTimeoutMs: options.requestTimeoutMs,
    });
  };
  const main = openPort(!internalPort, kept);
  const internal = internalPort ? openPort(true, new KeptAnswers(0)) : main;
  const webSocket = attachWebSocket({
    // The pages for operators listen to it too.
    upgrades: [main.upgrades, internal.upgrades],
    messages,
    log,
    clients,
    limits: options.webSocketLimits,
  });
  const graphqlSocket = new GraphqlSockets({
    upgrades: internal.upgrades,
    schema,
    services: ofGraphql,
    queries,
    log,
    clients,
    access,
    clientLimits,
    limits: { connectionsPerClient },
  });
  metrics.follow({
    webSocket: () => webSocket.stats(),
    eventStreams: () => streams.stats(),
    index: () => inOnePlace(services, readIndexStatus),
    connections: open.connections,
    eventSequence: () => events.sequence,
    graphqlConnections: () => graphqlSocket.connections,
    failingWebhooks: open.failingWebhooks,
    certificateExpiries: () => ({ https: main.certificateExpiry, node: expiryOf(options.credentials.certificatePem) }),
    databaseFailures: open.databaseFailures,
    requestsLimited: () => rateLimit?.rejected ?? 0,
    places: () => clientLimits.held(),
    tokenUses: () => access.lastUses,
    unhandledRejections: options.unhandledRejections ?? (() => 0),
  });
  const closeStreams = async () => {
    streams.close();
    await Promise.all([webSocket.close(), graphqlSocket.close()]);
  };
  const closeServices = async () => {
    await closeStreams();
    await open.close();
  };
  const closePorts = () => Promise.all([...new Set([main, internal])].map((one) => one.close()));
  let ports: { readonly port: number; readonly internalPort: number };
  await resources?.load();
  // Clients of `/ws` and `/events` are accepted once the position in the events is known; all others need not wait.
  await Promise.race([events.start(), sleep(EVENTS_WAIT_MS, undefined, { ref: false })]);
  try {
    const port = await main.listen(options.host, options.port);
    ports = { port, internalPort: internalPort ? await internal.listen(internalPort.host, internalPort.port) : port };
  } catch (error) {
    await closePorts();
    await events.close();
    await closeServices();
    throw error;
  }
  const delivery = { databaseUrl: options.databaseUrl, events, log, privateNetworks: webhookPrivateNetworks };
  const deliverer = options.deliversWebhooks ? new WebhookDeliverer(delivery) : undefined;
  deliverer?.start();
  log.info({ host: options.host, port: ports.port }, "Listening");
  if (internalPort) log.info({ ...internalPort, port: ports.internalPort }, "Listening for operators");
  return {
    ...ports,
    stop: async () => {
      const closed = closePorts();
      await Promise.all([closeStreams(), deliverer?.close()]);
      // Ends the subscriptions of /graphql over HTTP, whose responses have no end.
      await events.close();
      await closed;
      await closeServices();
      log.info("Stopped");
    },
  };
}
