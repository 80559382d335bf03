import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import express, { type Express } from "express";
import { type Logger, pino } from "pino";
import { WebSocket } from "ws";
import { addressOfPublicKey, encodeAddress } from "../../catapult/entity/address.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { Clients } from "../../gateway/clients/clients.js";
import { FairQueue } from "../../gateway/clients/fair-queue.js";
import { selectBehaviour } from "../../gateway/compatibility/compatibility.js";
import { EventStreams } from "../../gateway/events/event-streams.js";
import { failureHandler } from "../../gateway/http/errors.js";
import { exchanges } from "../../gateway/http/exchange.js";
import { Metrics } from "../../gateway/http/metrics.js";
import { UpgradeRouter, webSocketsOnly } from "../../gateway/http/upgrade.js";
import { type HandlerOptions, routeHandler } from "../../gateway/rest/handler.js";
import { eventRoutes } from "../../gateway/rest/routes/events.js";
import type { WebSocketLimits } from "../../gateway/websocket/limits.js";
import { openWebSocket, type WebSocketGateway } from "../../gateway/websocket/websocket.js";
import { EventReader, type EventReaderSettings } from "../../schema/feed/event-reader.js";
import { NETWORK } from "../support/event-writer.js";
import { SeededRandom } from "../support/seeded-random.js";
import { until } from "../support/until.js";

export interface TestGatewayOptions {
  readonly databaseUrl: string;
  readonly limits?: Partial<WebSocketLimits>;
  readonly events?: Partial<EventReaderSettings>;
  readonly log?: Logger;
  readonly clients?: Clients;
}

/** A gateway with only `/ws` and `/events`: real HTTP server, real event source. */
export class TestGateway {
  readonly events: EventReader;
  readonly server: Server;
  readonly port: number;
  readonly streams: EventStreams;
  readonly #webSocket: WebSocketGateway;
  readonly #db: Db;
  readonly #sockets = new Set<Socket>();

  private constructor(events: EventReader, server: Server, { streams, webSocket }: Interfaces, db: Db) {
    this.events = events;
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
    this.streams = streams;
    this.#webSocket = webSocket;
    this.#db = db;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start({
    databaseUrl,
    limits,
    events: settings = {},
    log,
    clients = new Clients(),
  }: TestGatewayOptions): Promise<TestGateway> {
    const logger = log ?? pino({ level: "silent" });
    const db = openDatabase({ url: databaseUrl, poolSize: 2, applicationName: "test gateway" });
    const events = new EventReader({ url: databaseUrl, db, log: logger, settings });
    await events.start();
    const app = express();
    const server = createServer(webSocketsOnly, app);
    const upgrades = new UpgradeRouter(server);
    const messages = { db, events, turns: new FairQueue() };
    const streams = new EventStreams({ messages, clients, limits });
    serveEvents(app, streams, logger);
    const webSocket = openWebSocket({ messages, log: logger, clients, limits });
    webSocket.serve(upgrades);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TestGateway(events, server, { streams, webSocket }, db);
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/ws`;
  }

  /** Address of the server-sent events of some topics. */
  eventsUrl(...topics: string[]): string {
    const query = new URLSearchParams(topics.map((topic) => ["topic", topic]));
    return `http://127.0.0.1:${this.port}/events?${query}`;
  }

  get stats() {
    return this.#webSocket.stats();
  }

  /** Waits until this number of client subscriptions is open and receives events. */
  async subscribed(subscriptions: number): Promise<void> {
    const reached = () => this.stats.subscriptions === subscriptions;
    await until(reached, () => `${subscriptions} subscriptions, there are ${this.stats.subscriptions}`);
  }

  /** Cuts every connection. @returns their number */
  cut(): number {
    const { size } = this.#sockets;
    for (const socket of this.#sockets) socket.destroy();
    return size;
  }

  /** Ends without notifying its clients, like a killed process. */
  async crash(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await this.close();
  }

  async close(): Promise<void> {
    this.streams.close();
    await this.#webSocket.close();
    await this.events.close();
    await this.#db.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

interface Interfaces {
  readonly streams: EventStreams;
  readonly webSocket: WebSocketGateway;
}

/** Serves the route of the streams and its errors as the real application does; other paths get a plain answer. */
function serveEvents(app: Express, streams: EventStreams, log: Logger): void {
  app.set("query parser", false);
  const begin = exchanges(log, new Metrics("test"), () => "client");
  app.use((request, response, next) => {
    begin(request, response);
    next();
  });
  const options = { streams, behaviour: selectBehaviour("spec") } as HandlerOptions;
  for (const route of eventRoutes) {
    app.get(route.path, routeHandler(route, options));
  }
  app.use((_request, response) => {
    response.end("plain");
  });
  app.use(failureHandler(log));
}

export interface Message {
  readonly topic: string;
  readonly data: {
    readonly code?: string;
    readonly message?: string;
    readonly oldest?: number;
    readonly next?: number;
    readonly request?: object;
    readonly n?: number;
    readonly block?: { readonly height: string };
    readonly meta?: { readonly height?: string };
  };
  readonly sequence: number;
}

/** A client that stores all messages. */
export class TestClient {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  uid = "";
  /** Code and reason, once it is closed. */
  closed: { readonly code: number; readonly reason: string } | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      const message = JSON.parse(data.toString());
      if (this.uid) this.messages.push(message);
      else this.uid = message.uid;
    });
    socket.on("close", (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    socket.on("error", () => undefined);
  }

  /** Connects and waits for the uid. */
  static async connect(url: string): Promise<TestClient> {
    const client = new TestClient(new WebSocket(url));
    await until(() => client.uid !== "" || client.closed !== undefined, "greeted with a uid");
    return client;
  }

  send(request: unknown): void {
    this.socket.send(typeof request === "string" ? request : JSON.stringify(request));
  }

  subscribe(...topics: string[]): void {
    for (const topic of topics) this.send({ uid: this.uid, subscribe: topic });
  }

  /** Subscribes from a sequence on. */
  resume(from: number, ...topics: string[]): void {
    for (const topic of topics) this.send({ uid: this.uid, subscribe: topic, from });
  }

  unsubscribe(...topics: string[]): void {
    for (const topic of topics) this.send({ uid: this.uid, unsubscribe: topic });
  }

  /** The error in reply to the next bad request. */
  async error(): Promise<Message["data"]> {
    await this.received(1);
    const { topic, data } = this.messages.shift() as Message;
    if (topic !== "error") throw new Error(`Expected an error, got ${topic}`);
    return data;
  }

  /** Waits for this number of messages, and returns them. @throws Error if the connection ends before */
  async received(count: number, timeoutMs?: number): Promise<Message[]> {
    const { messages } = this;
    const hasEnded = () => messages.length >= count || this.closed !== undefined;
    await until(hasEnded, () => `${count} messages, there are ${messages.length}`, timeoutMs);
    if (messages.length >= count) return messages;
    throw new Error(`Closed after ${messages.length} of ${count} messages: ${JSON.stringify(this.closed)}`);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.ended();
  }

  /** Waits for the end of the connection and returns the reason. */
  async ended(timeoutMs?: number): Promise<{ readonly code: number; readonly reason: string }> {
    await until(() => this.closed !== undefined, "the connection ended", timeoutMs);
    return this.closed as { code: number; reason: string };
  }
}

/** A client that has subscribed to these topics. */
export async function listen(gateway: TestGateway, ...topics: string[]): Promise<TestClient> {
  const client = await TestClient.connect(gateway.url);
  const before = gateway.stats.subscriptions;
  client.subscribe(...topics);
  await gateway.subscribed(before + topics.length);
  return client;
}

/** An account's address, in bytes and as text. */
export interface TestAddress {
  readonly bytes: Buffer;
  readonly text: string;
}

const random = new SeededRandom();

/** The address of a random public key. */
export function randomAddress(network = NETWORK): TestAddress {
  const bytes = addressOfPublicKey(random.bytes(32), network);
  return { bytes, text: encodeAddress(bytes) };
}
