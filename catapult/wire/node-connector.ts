import type { Logger } from "pino";
import type { NodeCredentials } from "../certificate/certificate.js";
import { hex } from "../entity/hex.js";
import { Backoff, type BackoffOptions } from "./backoff.js";
import { endpointName, NodeConnection } from "./connection.js";
import {
  type ConnectAttempt,
  ConnectionClosedError,
  NodeError,
  NodeUnavailableError,
  RequestPausedError,
  RequestTimeoutError,
} from "./errors.js";
import type { NodeAnswer, NodeLink, NodeQuery } from "./node-link.js";
import { extensionFor } from "./packet-type.js";
import { chainStatisticsRequest, decodeAnswer, SMALL_ANSWER } from "./requests.js";

/** Address of a node. */
export interface NodeEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Times in ms, sizes in bytes; defaults as in {@link NodeConnection}. */
export interface NodeConnectorOptions {
  /** The nodes in the order in which they are tried. */
  readonly nodes: readonly NodeEndpoint[];
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  readonly requestTimeoutMs?: number;
  /** Timeout for each node that is tried. */
  readonly connectTimeoutMs?: number;
  /** Delays after all nodes have failed; default 250 ms, doubling up to 30 s. */
  readonly reconnect?: Partial<BackoffOptions>;
  readonly maxPacketSize?: number;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
  /** Closes a connection that was not used for this long; by default never. */
  readonly idleMs?: number | undefined;
  /**
   * Repeats a request once if the node closes the connection before the response; by default not. A node closes all
   * connections of an identity when one of them breaks, so another process of this machine can cause that.
   */
  readonly repeatLost?: boolean | undefined;
  /**
   * How long requests of a type that needs an extension are rejected here after the node closed the connection on one;
   * default 0. A node that does not answer such a type closes all connections of the identity each time.
   */
  readonly extensionPauseMs?: number | undefined;
  /** Orders the nodes for a new connection; by default unchanged. */
  readonly order?: ((nodes: readonly NodeEndpoint[]) => readonly NodeEndpoint[]) | undefined;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;

/**
 * One connection to the first node of a list that responds, opened with the first request.
 *
 * When the connection is lost, the next request opens a new one; the failed node then comes last. When all have
 * failed, requests are rejected at once until an increasing delay is over. Concurrent requests share an attempt, and
 * are pipelined.
 */
export class NodeConnector implements NodeLink {
  readonly #options: NodeConnectorOptions;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  readonly #clock: () => number;
  readonly #abort = new AbortController();
  readonly #pausedUntil = new Map<number, number>();
  #current: { readonly connection: NodeConnection; readonly endpoint: NodeEndpoint } | undefined;
  #connecting: Promise<NodeConnection> | undefined;
  #unavailable: { readonly attempts: readonly ConnectAttempt[]; readonly until: number } | undefined;
  #underWay = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  /** Settles when the connection that was closed for being idle is gone: the node counts it until then. */
  #idleClosing: Promise<void> | undefined;

  constructor(options: NodeConnectorOptions) {
    if (options.nodes.length === 0) throw new RangeError("nodes must not be empty");
    this.#options = options;
    this.#log = options.log;
    this.#backoff = new Backoff(options.reconnect);
    this.#clock = options.clock ?? (() => performance.now());
  }

  get connectedNode() {
    const connection = this.#current?.connection;
    return connection?.isOpen ? { node: connection.node, publicKey: connection.peerPublicKey } : undefined;
  }

  async request(question: NodeQuery): Promise<NodeAnswer> {
    this.#checkPause(question.type);
    try {
      return await this.#exchange(question);
    } catch (error) {
      if (!(error instanceof ConnectionClosedError) || this.#abort.signal.aborted) throw error;
      if (this.#pause(question.type)) throw error;
      // The connection was lost because of another request.
      const isOther = error.lacksExtension && error.request !== question.type;
      if (!isOther && !this.#options.repeatLost) throw error;
      return await this.#exchange(question);
    }
  }

  push(type: number, payloads: readonly Buffer[], to?: Buffer): Promise<void> {
    return this.#use(async (connection) => {
      if (to && !connection.peerPublicKey.equals(to)) {
        throw new NodeError(connection.node, "has another identity than the node that was connected before");
      }
      await Promise.all(payloads.map((payload) => connection.push(type, payload)));
    });
  }

  /** Closes the connection; outstanding requests are rejected, and the next request opens another one. */
  async disconnect(): Promise<void> {
    await this.#current?.connection.close();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    clearTimeout(this.#idleTimer);
    await this.#connecting?.catch(() => undefined);
    await this.#idleClosing;
    await this.#current?.connection.close();
  }

  #exchange(question: NodeQuery): Promise<NodeAnswer> {
    const { type, payload, ...options } = question;
    return this.#use(async (connection) => ({
      payload: await connection.request(type, payload, { maxAnswerSize: SMALL_ANSWER, ...options }),
      node: connection.node,
      nodeKey: connection.peerNodeKey,
    }));
  }

  async #use<T>(work: (connection: NodeConnection) => Promise<T>): Promise<T> {
    this.#underWay += 1;
    clearTimeout(this.#idleTimer);
    try {
      return await work(await this.#connect());
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#closeWhenIdle();
    }
  }

  #closeWhenIdle(): void {
    const { idleMs } = this.#options;
    if (idleMs === undefined || this.#abort.signal.aborted) return;
    this.#idleTimer = setTimeout(() => {
      const connection = this.#current?.connection;
      if (!connection?.isOpen) return;
      this.#log.debug({ node: connection.node, idleMs }, "Closing an idle connection to a node");
      this.#idleClosing = connection.close();
    }, idleMs);
    this.#idleTimer.unref();
  }

  #checkPause(type: number): void {
    const until = this.#pausedUntil.get(type);
    if (until === undefined) return;
    if (until > this.#clock()) throw new RequestPausedError(this.#nodeName(), type);
    this.#pausedUntil.delete(type);
  }

  /** @returns whether requests of this type are paused, because the node closed the connection on one */
  #pause(type: number): boolean {
    const { extensionPauseMs = 0 } = this.#options;
    if (extensionPauseMs === 0 || !extensionFor(type)) return false;
    this.#pausedUntil.set(type, this.#clock() + extensionPauseMs);
    return true;
  }

  #nodeName(): string {
    return endpointName(this.#current?.endpoint ?? this.#options.nodes[0]!);
  }

  async #connect(): Promise<NodeConnection> {
    if (this.#abort.signal.aborted) throw this.#closedError();
    if (this.#current?.connection.isOpen) return this.#current.connection;
    if (this.#unavailable) {
      const wait = this.#unavailable.until - this.#clock();
      if (wait > 0) throw new NodeUnavailableError(this.#unavailable.attempts, wait);
    }
    this.#connecting ??= this.#tryNodes().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #tryNodes(): Promise<NodeConnection> {
    const wasIdle = this.#idleClosing !== undefined;
    await this.#idleClosing;
    this.#idleClosing = undefined;
    const attempts: ConnectAttempt[] = [];
    for (const endpoint of this.#nodesInOrder(wasIdle)) {
      try {
        const connection = await this.#open(endpoint);
        this.#keep(connection, endpoint, wasIdle);
        return connection;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        if (this.#abort.signal.aborted) throw this.#closedError();
        attempts.push({ node: error.node, reason: error.message });
      }
    }
    const wait = this.#backoff.next();
    this.#unavailable = { attempts, until: this.#clock() + wait };
    this.#log.warn({ attempts, retryInMs: Math.round(wait) }, "no node can be reached");
    throw new NodeUnavailableError(attempts, wait);
  }

  /**
   * In the configured order, but the latest node comes last after its connection was lost, and first after it was
   * only idle.
   */
  #nodesInOrder(wasIdle: boolean): readonly NodeEndpoint[] {
    const { nodes, order = (unchanged) => unchanged } = this.#options;
    const latest = this.#current?.endpoint;
    if (!latest) return order(nodes);
    const others = nodes.filter((node) => node !== latest);
    return order(wasIdle ? [latest, ...others] : [...others, latest]);
  }

  /** A connection that has answered once: a node that does not accept us lets us connect and then closes. */
  async #open({ host, port }: NodeEndpoint): Promise<NodeConnection> {
    const { credentials, requestTimeoutMs, maxPacketSize } = this.#options;
    const timeoutMs = this.#options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
    const signal = this.#abort.signal;
    const startedAt = performance.now();
    const limits = { requestTimeoutMs, maxPacketSize, timeoutMs };
    const connection = await NodeConnection.connect({ host, port, credentials, signal, ...limits });
    const onAbort = () => void connection.close();
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    // The same time for all of it, however slowly the answer arrives.
    let isLate = false;
    const giveUp = () => {
      isLate = true;
      void connection.close();
    };
    // A timer that fired late may have left no time.
    const timer = setTimeout(giveUp, Math.max(0, timeoutMs - (performance.now() - startedAt)));
    try {
      const probe = chainStatisticsRequest();
      const bounds = { timeoutMs, maxAnswerSize: SMALL_ANSWER };
      decodeAnswer(probe, await connection.request(probe.type, probe.payload, bounds), connection.node);
      return connection;
    } catch (error) {
      await connection.close();
      if (isLate) throw new RequestTimeoutError(connection.node, chainStatisticsRequest().type, timeoutMs, 0);
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  #keep(connection: NodeConnection, endpoint: NodeEndpoint, wasIdle: boolean): void {
    this.#current = { connection, endpoint };
    this.#unavailable = undefined;
    this.#backoff.reset();
    const publicKey = hex(connection.peerPublicKey);
    this.#log[wasIdle ? "debug" : "info"]({ node: connection.node, publicKey }, "Connected to a node");
    void connection.closed.then((reason) => {
      if (!reason) return;
      // The request that asked for too much reports it.
      const level = reason instanceof ConnectionClosedError && reason.lacksExtension ? "debug" : "warn";
      this.#log[level]({ node: connection.node, reason: reason.message }, "Lost the connection to a node");
    });
  }

  #closedError(): NodeUnavailableError {
    const attempts = this.#options.nodes.map(endpointName).map((node) => ({
      node,
      reason: `node ${node}: not tried, the client is closed`,
    }));
    return new NodeUnavailableError(attempts, Number.POSITIVE_INFINITY);
  }
}
