import { type ConnectionState, ConnectionStatus } from "./connection-status.js";
import type { Message, Topic } from "./messages.js";
import { iteratePages, type Page } from "./pages.js";
import { type AnyRequest, send } from "./rest.js";
import type { AnswerOf, EntryOf, ListPath, PathWith, RequestArguments } from "./rest-types.js";
import {
  type ConnectionTimes,
  type SocketClass,
  type SubscribeOptions,
  type Subscription,
  Subscriptions,
} from "./subscriptions.js";
import { type WaitOptions, waitFor } from "./wait.js";

export type { ConnectionState } from "./connection-status.js";
export { GatewayError } from "./gateway-error.js";
export type { Channels, Message, Topic } from "./messages.js";
export type { components, operations, paths } from "./openapi.js";
export type { AnswerOf, EntryOf, ListPath, PathWith, RequestOf } from "./rest-types.js";
export type { SubscribeOptions, Subscription } from "./subscriptions.js";
export type { WaitOptions } from "./wait.js";

export interface ClientOptions {
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** In place of the global `WebSocket`, which Node has from version 22 on; the class of the package `ws` fits. */
  readonly WebSocket?: unknown;
  /** Delay before the first attempt to reconnect, in ms, doubled with each further one up to 5 s; default 250. */
  readonly retryMs?: number;
  /** Maximum of this time, which doubles with each attempt in vain, in ms; default 5,000. */
  readonly maxRetryMs?: number;
  /** A connection without any message for this time is lost, in ms; default 38,000: two heartbeats are missing. */
  readonly silenceMs?: number;
}

/** A client of one gateway, for browsers and Node: typed REST requests, lists, and subscriptions that resume. */
export class GatewayClient {
  readonly #base: string;
  readonly #fetch: typeof fetch;
  readonly #Socket: SocketClass | undefined;
  readonly #times: ConnectionTimes;
  readonly #connection = new ConnectionStatus();
  #subscriptions: Subscriptions | undefined;

  /** @param url of the gateway, such as `http://localhost:3000` */
  constructor(
    url: string,
    { fetch: fetcher, WebSocket: given, retryMs = 250, maxRetryMs = 5_000, silenceMs = 38_000 }: ClientOptions = {},
  ) {
    this.#base = url.replace(/\/+$/, "");
    this.#fetch = fetcher ?? ((...args) => fetch(...args));
    this.#times = { retryMs, maxRetryMs, silenceMs };
    this.#Socket = (given ?? (globalThis as { WebSocket?: unknown }).WebSocket) as SocketClass | undefined;
  }

  /** `client.get("/blocks/{height}", { path: { height: "1" } })` @throws GatewayError */
  get<Path extends PathWith<"get">>(path: Path, ...[request]: RequestArguments<Path, "get">) {
    return this.#send<AnswerOf<Path, "get">>("GET", path, request);
  }

  /** `client.post("/accounts", { body: { addresses } })` @throws GatewayError */
  post<Path extends PathWith<"post">>(path: Path, ...[request]: RequestArguments<Path, "post">) {
    return this.#send<AnswerOf<Path, "post">>("POST", path, request);
  }

  /** `client.put("/transactions", { body: { payload } })` @throws GatewayError */
  put<Path extends PathWith<"put">>(path: Path, ...[request]: RequestArguments<Path, "put">) {
    return this.#send<AnswerOf<Path, "put">>("PUT", path, request);
  }

  /**
   * What would happen to transactions (hex) in the next block, each after those before it; nothing is announced. With
   * `unsigned`, signatures are not verified, and missing ones only named. @throws GatewayError
   */
  simulate(payloads: readonly string[], { unsigned = false }: { readonly unsigned?: boolean } = {}) {
    return this.post("/transactions/simulate", { body: { payloads: [...payloads], unsigned } });
  }

  /** The pages of a list, each read when it is needed. @throws GatewayError */
  async *pages<Path extends ListPath>(
    path: Path,
    ...[request]: RequestArguments<Path, "get">
  ): AsyncGenerator<AnswerOf<Path, "get">> {
    const { query = {}, ...others } = (request ?? {}) as AnyRequest;
    const read = (own: object) => this.#send<Page>("GET", path, { ...others, query: own });
    yield* iteratePages(read, query as Readonly<Record<string, unknown>>) as AsyncGenerator<AnswerOf<Path, "get">>;
  }

  /** The entries of a list: `for await (const { block } of client.entries("/blocks")) …` @throws GatewayError */
  async *entries<Path extends ListPath>(
    path: Path,
    ...request: RequestArguments<Path, "get">
  ): AsyncGenerator<EntryOf<Path>> {
    for await (const { data } of this.pages(path, ...request) as AsyncGenerator<{ data: EntryOf<Path>[] }>) yield* data;
  }

  /**
   * Receives the messages of a topic, each once and in order, until the subscription is closed.
   * @throws Error when the topic is subscribed already, or there is no WebSocket
   */
  subscribe<T extends Topic>(
    topic: T,
    receive: (message: Message<T>) => void,
    options: SubscribeOptions = {},
  ): Subscription {
    if (!this.#Socket) throw new Error("There is no WebSocket: pass a class, such as that of the package ws");
    this.#subscriptions ??= new Subscriptions(
      `${this.#base.replace(/^http/, "ws")}/ws`,
      this.#Socket,
      this.#times,
      this.#connection,
    );
    return this.#subscriptions.add(topic, receive as unknown as (message: Message) => void, options);
  }

  /** State of the connection of all subscriptions. */
  get connection(): ConnectionState {
    return this.#connection.state;
  }

  /** Receives each change of the connection's state. @returns ends that */
  onConnection(listener: (state: ConnectionState) => void): () => void {
    return this.#connection.listen(listener);
  }

  /**
   * Waits until an announced transaction is confirmed, or for another state.
   * @returns its status
   * @throws GatewayError with the code of the failure, such as `Failure_Core_Insufficient_Balance`; the reason of `signal`
   */
  waitFor(hash: string, options: WaitOptions = {}) {
    const reader = {
      status: (of: string, signal: AbortSignal) =>
        this.get("/transactionStatus/{hash}", { path: { hash: of }, signal }),
      finalizedHeight: async (signal: AbortSignal) =>
        (await this.get("/chain/info", { signal })).latestFinalizedBlock.height,
    };
    return waitFor(reader, hash, options);
  }

  #send<Answer>(method: string, path: string, request: unknown = {}): Promise<Answer> {
    return send(this.#base, this.#fetch, method, path, request as AnyRequest) as Promise<Answer>;
  }
}
