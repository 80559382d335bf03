import { setTimeout as sleep } from "node:timers/promises";
import type { NodeCredentials } from "../catapult/certificate/certificate.js";
import { readExpiry } from "../catapult/certificate/certificate-chain.js";
import type { NodeEndpoint } from "../catapult/wire/node-connector.js";
import { type Services, withOneConnection } from "../schema/graph/context.js";
import { type OpenServices, openServices, type ServicesOptions } from "../schema/graph/services.js";
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
import { CompiledQueries } from "./graphql/compiled-queries.js";
import { GRAPHQL_PATH } from "./graphql/graphql.js";
import { graphqlServices } from "./graphql/protection.js";
import { GraphqlSockets } from "./graphql/websocket.js";
import { HttpPort } from "./http/http-port.js";
import { Metrics } from "./http/metrics.js";
import { ResponseCache } from "./http/response-cache.js";
import type { TlsFiles } from "./http/tls.js";
import { defaultGatewayLimits, type GatewayLimits } from "./limits.js";
import { connectGateway } from "./node-connection.js";
import { createApp } from "./rest/app.js";
import type { Extension } from "./rest/extension.js";
import { type Deployment, deploymentOf } from "./rest/route/route.js";
import { Routers } from "./rest/routers.js";
import { defaultLimits } from "./websocket/limits.js";
import { openWebSocket, WEBSOCKET_PATH } from "./websocket/websocket.js";

export interface GatewayOptions
  extends Omit<ServicesOptions, "statementTimeoutMs" | "onSilence" | "onNews" | "pages" | "reads"> {
  /** The version of the program, such as `1.2.3`. */
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
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Which behaviour applies where the specification and catapult-rest differ; default the specification. */
  readonly compatibility?: CompatibilityMode | undefined;
  /** Interfaces of other rooms that are served beside those of the gateway. */
  readonly extensions: readonly Extension[];
  /** `/graphql` and `/explorer` require one of these tokens; without any they are disabled. */
  readonly graphqlTokens?: readonly NamedToken[] | undefined;
  /** Without a token: whether they serve local callers. For development; never behind a proxy. */
  readonly answersLocalCallers?: boolean | undefined;
  /** A separate port for `/graphql`, `/explorer`, `/metrics` and `/ready`. */
  readonly internalPort?: InternalPort | undefined;
  /** Connections of one client to `/ws`, to `/events`, and to `/graphql`; default 100. */
  readonly connectionsPerClient?: number | undefined;
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
  /** Number of rejected promises that nothing in the process has handled; default 0. */
  readonly unhandledRejections?: (() => number) | undefined;
  /** Default {@link defaultGatewayLimits}. */
  readonly limits?: Partial<GatewayLimits> | undefined;
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
/** Shorter tokens cause a warning, in characters. */
const SHORT_TOKEN = 16;

/**
 * Starts serving REST, `/ws` and `/graphql`. It also starts without a database and a node, and answers 503 meanwhile.
 * @throws Error when it cannot listen
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const shared = openShared(options);
  const open = openConnections(options, shared);
  const sockets = openSockets(options, shared, open);
  const services = makeServices(options, shared, open, sockets);
  const ports = openPorts(options, shared, services, sockets);
  const graphqlSockets = serveSockets(options, shared, sockets, ports);
  followMetrics(options, shared, open, services, sockets, ports);
  const deliverer = openDeliverer(options, open);
  const stop = async () => {
    const closed = Promise.all([...new Set([ports.main, ports.internal])].map((port) => port.close()));
    sockets.streams.close();
    await Promise.all([sockets.webSocket.close(), graphqlSockets.close(), deliverer?.close()]);
    // Ends the subscriptions of /graphql over HTTP, whose responses have no end.
    await open.events.close();
    await closed;
    await open.close();
  };
  await startReading(open);
  try {
    const listening = await listen(options, ports);
    deliverer?.start();
    return { ...listening, stop: () => stop().then(() => options.log.info("Stopped")) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What all ports share, and needs no connection. */
function openShared(options: GatewayOptions) {
  const { log, graphqlTokens: tokens = [], answersLocalCallers, rateLimit, trustedProxies, version } = options;
  const limits = { ...defaultGatewayLimits, ...options.limits };
  for (const { name, token } of tokens.filter((one) => one.token.length < SHORT_TOKEN)) {
    log.warn({ token: name, length: token.length }, "A token in GRAPHQL_TOKEN is short and could be guessed");
  }
  return {
    limits,
    connectionsPerClient: options.connectionsPerClient ?? defaultLimits.connectionsPerClient,
    cache: new ResponseCache(limits.responseCacheBytes),
    clientLimits: new ClientLimits(),
    clients: new Clients(trustedProxies, (address) => {
      const problem = "X-Forwarded-For from an address that is not in TRUSTED_PROXIES";
      log.warn({ address }, `${problem}: all clients behind it count as one`);
    }),
    rateLimit: rateLimit && new RateLimit(rateLimit),
    access: new Access({ tokens, answersLocalCallers }),
    metrics: new Metrics(version),
    queries: new CompiledQueries(schema),
  };
}

type Shared = ReturnType<typeof openShared>;

/** Connections to the database and to a node, and what is based on them alone. */
function openConnections(options: GatewayOptions, { limits, clientLimits, cache }: Shared): OpenServices {
  const { log } = options;
  const { nodeTimeoutMs, statementTimeoutMs } = limits;
  const onSilence = () => {
    const rejected = clientLimits.rejectWaiting();
    if (rejected > 0) log.warn({ rejected }, "Database silent: rejected the requests that wait for it");
  };
  const pages = clientLimits.create("missedPages", { perClient: MISSED_PAGES_PER_CLIENT });
  const reads = clientLimits.create("missedReads", { total: MISSED_READS_AT_ONCE, perClient: 1 });
  const onNews = (isFollowing: boolean) => cache.renew(isFollowing);
  return openServices(
    { ...options, statementTimeoutMs, onSilence, onNews, pages, reads },
    connectGateway({ ...options, nodeTimeoutMs }),
  );
}

/** What delivers messages. */
function openSockets({ log }: GatewayOptions, { clients, connectionsPerClient }: Shared, { db, events }: OpenServices) {
  const messages = { db, events, turns: new FairQueue() };
  const limits = { connectionsPerClient };
  return {
    streams: new EventStreams({ messages, clients, limits }),
    webSocket: openWebSocket({ messages, log, clients, limits }),
  };
}

type OpenSockets = ReturnType<typeof openSockets>;

/** The services of all operations. */
function makeServices(
  options: GatewayOptions,
  { clients }: Shared,
  open: OpenServices,
  sockets: OpenSockets,
): Services {
  const { version, uncirculatingPublicKeys = [], webhookPrivateNetworks = [] } = options;
  const { db, writeDb, node, events, announcer, dryRuns, resources } = open;
  const startedAt = Date.now();
  return {
    db,
    writeDb,
    node,
    events,
    announcer,
    dryRuns,
    webhookPrivateNetworks,
    resources,
    uncirculatingPublicKeys,
    status: () => ({
      version,
      startedAt,
      webSocketConnections: clients.connections(WEBSOCKET_PATH),
      webSocketSubscriptions: sockets.webSocket.stats().subscriptions,
      graphqlConnections: clients.connections(GRAPHQL_PATH),
      eventSequence: events.sequence,
    }),
  };
}

/** The public port, and the one for operators, which may be the same. */
function openPorts(options: GatewayOptions, shared: Shared, services: Services, { streams }: OpenSockets) {
  const { log, version, nodeMetadata = {}, deployment = deploymentOf(version), compatibility = "spec" } = options;
  const { clients, clientLimits, rateLimit, metrics, connectionsPerClient: streamsPerClient, limits } = shared;
  const own = { ...shared, schema, services, log, version, nodeMetadata, deployment, compatibility, streams };
  const { extensions, tls } = options;
  const userServices = graphqlServices(services);
  const openPort = (servesOperators: boolean, cache: ResponseCache) => {
    const routers = new Routers({ ...own, graphqlServices: userServices, cache, extensions, servesOperators });
    const app = createApp({ log, metrics, clients, clientLimits, rateLimit, cache, routers });
    return new HttpPort({
      app,
      log,
      rateLimit,
      clients,
      streamsPerClient,
      tls,
      requestTimeoutMs: limits.requestTimeoutMs,
    });
  };
  const main = openPort(!options.internalPort, shared.cache);
  return { main, internal: options.internalPort ? openPort(true, new ResponseCache(0)) : main, userServices };
}

type Ports = ReturnType<typeof openPorts>;

/** WebSocket at the ports. */
function serveSockets(
  { log }: GatewayOptions,
  { connectionsPerClient, ...shared }: Shared,
  { webSocket }: OpenSockets,
  { main, internal, userServices: services }: Ports,
): GraphqlSockets {
  // The pages for operators listen to it too.
  for (const port of new Set([main, internal])) webSocket.serve(port.upgrades);
  const limits = { connectionsPerClient };
  return new GraphqlSockets({ ...shared, upgrades: internal.upgrades, schema, services, log, limits });
}

function followMetrics(
  { credentials, unhandledRejections = () => 0 }: GatewayOptions,
  { metrics, clients, clientLimits, rateLimit, access }: Shared,
  { events, connections, failingWebhooks, databaseFailures }: OpenServices,
  services: Services,
  { webSocket, streams }: OpenSockets,
  { main }: Ports,
): void {
  metrics.follow({
    webSocket: () => webSocket.stats(),
    eventStreams: () => streams.stats(),
    index: () => withOneConnection(services, readIndexStatus),
    connections,
    eventSequence: () => events.sequence,
    graphqlConnections: () => clients.connections(GRAPHQL_PATH),
    failingWebhooks,
    certificateExpiries: () => ({ https: main.certificateExpiry, node: readExpiry(credentials.certificatePem) }),
    databaseFailures,
    requestsLimited: () => rateLimit?.rejected ?? 0,
    slots: () => clientLimits.held(),
    tokenUses: () => access.lastUses,
    unhandledRejections,
  });
}

function openDeliverer(options: GatewayOptions, { events }: OpenServices): WebhookDeliverer | undefined {
  const { deliversWebhooks, databaseUrl, log, webhookPrivateNetworks: privateNetworks } = options;
  return deliversWebhooks ? new WebhookDeliverer({ databaseUrl, events, log, privateNetworks }) : undefined;
}

async function startReading({ events, resources }: OpenServices): Promise<void> {
  await resources?.load();
  // Clients of `/ws` and `/events` are accepted once the position in the events is known; all others need not wait.
  await Promise.race([events.start(), sleep(EVENTS_WAIT_MS, undefined, { ref: false })]);
}

async function listen(
  { host, port, internalPort, log }: GatewayOptions,
  { main, internal }: Ports,
): Promise<Pick<Gateway, "port" | "internalPort">> {
  const open = await main.listen(host, port);
  const openInternal = internalPort ? await internal.listen(internalPort.host, internalPort.port) : open;
  log.info({ host, port: open }, "Listening");
  if (internalPort) log.info({ ...internalPort, port: openInternal }, "Listening for operators");
  return { port: open, internalPort: openInternal };
}
