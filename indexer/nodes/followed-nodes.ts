import type { Logger } from "pino";
import { endpointName } from "../../catapult/wire/connection.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { NodeConnector, type NodeConnectorOptions, type NodeEndpoint } from "../../catapult/wire/node-connector.js";
import type { IndexerLimits } from "../limits/indexer-limits.js";
import type { IndexerMetrics } from "../metrics/metrics.js";
import type { NodeFault } from "./failures.js";
import { Suspensions } from "./suspensions.js";

export interface FollowedNodesOptions extends Pick<NodeConnectorOptions, "nodes" | "credentials"> {
  readonly log: Logger;
  readonly metrics?: IndexerMetrics | undefined;
  readonly limits: Pick<IndexerLimits, "dropMs" | "requestTimeoutMs">;
}

/** How long each of several nodes has time to accept a connection, in ms. */
const CONNECT_MS = 3_000;
/** How long a node has time to answer the first request, at least; doubling each time that all were left, in ms. */
const FIRST_ANSWER_MS = 1_000;
const CHECKS_OF_PATIENCE = 5;
/** No answer is late before this time, in ms. */
const USUAL_ANSWER_MS = 500;

/**
 * The nodes that the indexer may follow, and a client of the followed one: one connection to one node at a time.
 *
 * A node that serves invalid data is dropped for increasing times, and one that sends nothing of what it claims is left
 * for as long. Then the last one is used that something was written from, or else the next of the list. If every reachable
 * node is dropped, the one whose time ends first is used all the same: its data are verified as always.
 */
export class FollowedNodes {
  readonly client: NodeClient;
  readonly #options: FollowedNodesOptions;
  readonly #connector: NodeConnector;
  readonly #dropped: Suspensions<NodeEndpoint>;
  /** The last invalid data of each node, since the index last advanced. */
  readonly #faults = new Map<NodeEndpoint, string>();
  #preferred: NodeEndpoint | undefined;
  /** The last one that something was written from. */
  #good: NodeEndpoint | undefined;
  /** Whether the connection was closed here, to follow another node. */
  #isLeaving = false;
  /** How often a node was left that had not answered the first request. */
  #leftAtFirst = 0;
  #waitedMs = 0;
  #waiting = 0;
  #waitsSince = 0;

  constructor(options: FollowedNodesOptions) {
    const { nodes, credentials, log, limits } = options;
    const { requestTimeoutMs } = limits;
    this.#options = options;
    this.#dropped = new Suspensions(limits.dropMs);
    this.#connector = new NodeConnector({
      nodes,
      credentials,
      log,
      order: (all) => this.#inOrder(all),
      ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
      ...(nodes.length > 1 && { connectTimeoutMs: CONNECT_MS }),
    });
    this.client = new NodeClient({ link: this.#connector });
  }

  get count(): number {
    return this.#options.nodes.length;
  }

  /** Whether anything was written from a node. */
  get hasGood(): boolean {
    return this.#good !== undefined;
  }

  /** Whether this is the last node that something was written from. */
  isGood(endpoint: NodeEndpoint | undefined): boolean {
    return endpoint !== undefined && endpoint === this.#good;
  }

  get connected(): NodeEndpoint | undefined {
    return this.#findEndpoint(this.client.connectedNode?.node);
  }

  wrote(): void {
    this.#good = this.connected ?? this.#good;
  }

  /** For how long the answers of `wait` were awaited, all together and without what each usually takes, in ms. */
  get waitedMs(): number {
    return this.#waitedMs + (this.#waiting > 0 ? this.#lateMs : 0);
  }

  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  get #lateMs(): number {
    return Math.max(0, performance.now() - this.#waitsSince - USUAL_ANSWER_MS);
  }

  /** Awaits an answer of the followed node. */
  async wait<T>(answer: Promise<T>): Promise<T> {
    if (this.#waiting++ === 0) this.#waitsSince = performance.now();
    try {
      return await answer;
    } finally {
      if (--this.#waiting === 0) this.#waitedMs += this.#lateMs;
    }
  }

  /** Awaits what a node is asked first. Of several, one from which nothing was written is left if it does not answer soon. */
  async firstAnswer<T>(answer: Promise<T>): Promise<T> {
    if (this.count === 1) return this.wait(answer);
    const patienceMs = FIRST_ANSWER_MS * 2 ** Math.floor(this.#leftAtFirst / this.count);
    let asked: { readonly node: NodeEndpoint | undefined; readonly at: number } | undefined;
    const timer = setInterval(() => {
      const { connected: node } = this;
      if (!asked || asked.node !== node) asked = { node, at: performance.now() };
      const waitedMs = performance.now() - asked.at;
      if (!node || this.isGood(node) || waitedMs < patienceMs) return;
      this.#leftAtFirst += 1;
      asked = undefined;
      void this.leave(node, waitedMs);
    }, FIRST_ANSWER_MS / CHECKS_OF_PATIENCE);
    try {
      return await this.wait(answer);
    } finally {
      clearInterval(timer);
    }
  }

  /** Whether the connection was closed to follow another node, since the last call: a request that fails is no failure. */
  hasLeft(): boolean {
    const hasLeft = this.#isLeaving;
    this.#isLeaving = false;
    return hasLeft;
  }

  /** The nodes that could be followed instead, in the configured order. */
  get others(): readonly NodeEndpoint[] {
    const { connected } = this;
    return this.#options.nodes.filter((node) => node !== connected && !this.#dropped.has(node));
  }

  /**
   * Drops the node that served invalid data, if there are others.
   *
   * @returns whether another node is left to follow
   */
  async drop(fault: NodeFault): Promise<boolean> {
    const { log, metrics } = this.#options;
    const { node, reason, height, field, message } = fault;
    metrics?.rejectedData(reason);
    const endpoint = this.#findEndpoint(node);
    if (endpoint) this.#faults.set(endpoint, sameness(fault));
    if (!endpoint || this.count === 1) {
      log.error({ node, height, field, reason: message }, "Rejected data of the node");
      return false;
    }
    const wasDropped = this.#dropped.has(endpoint);
    const droppedForMs = this.#dropped.add(endpoint);
    log.error({ node, height, field, reason: message, droppedForMs }, "Dropped a node that serves invalid data");
    if (endpoint === this.connected) await this.#connector.disconnect();
    return !wasDropped && this.#options.nodes.some((one) => !this.#dropped.has(one));
  }

  /** Whether the data of every node were rejected for the same reason: then the program may be wrong. */
  isServedByAll(fault: NodeFault): boolean {
    return this.#options.nodes.every((node) => this.#faults.get(node) === sameness(fault));
  }

  /** Whether all data that were rejected lately, of any node, were rejected for the same reason. */
  isOnlyReason(fault: NodeFault): boolean {
    return [...this.#faults.values()].every((reason) => reason === sameness(fault));
  }

  /** To be called when following works. */
  advanced(): void {
    this.#faults.clear();
  }

  /** Leaves the connected node, which does not send what it should: another one is used from the next request on. */
  async leave(endpoint: NodeEndpoint, waitedMs: number): Promise<void> {
    const leftForMs = this.#dropped.add(endpoint);
    const message = "The node does not send what it should; trying another one";
    this.#options.log.warn({ node: endpointName(endpoint), waitedMs: Math.round(waitedMs), leftForMs }, message);
    this.#isLeaving = true;
    await this.#connector.disconnect();
  }

  /** Follows this node from the next request on. */
  async switchTo(endpoint: NodeEndpoint): Promise<void> {
    this.#preferred = endpoint;
    this.#isLeaving = true;
    await this.#connector.disconnect();
  }

  /** A client with a connection of its own to a node, which the caller closes. */
  open(endpoint: NodeEndpoint, log: Logger): NodeClient {
    const { credentials, limits } = this.#options;
    return new NodeClient({ nodes: [endpoint], credentials, log, requestTimeoutMs: limits.requestTimeoutMs });
  }

  close(): Promise<void> {
    return this.client.close();
  }

  #findEndpoint(name: string | undefined): NodeEndpoint | undefined {
    return this.#options.nodes.find((node) => name === endpointName(node));
  }

  /** @param nodes the latest one comes last */
  #inOrder(nodes: readonly NodeEndpoint[]): readonly NodeEndpoint[] {
    const [preferred, good, latest] = [this.#preferred, this.#good, nodes.at(-1)];
    this.#preferred = undefined;
    const rank = (node: NodeEndpoint) => {
      if (node === preferred) return -2;
      if (this.#dropped.has(node)) return this.#dropped.until(node);
      // If its own connection was lost, others are tried before.
      return node === good && (node !== latest || preferred) ? -1 : 0;
    };
    return nodes.toSorted((left, right) => rank(left) - rank(right));
  }
}

/**
 * What faults for the same reason have in common; how far a block is ahead of the clock changes, and which proofs nodes
 * have.
 */
function sameness({ height, field, message, isOfProof }: NodeFault): string {
  if (isOfProof) return "proof";
  return field === "timestamp" ? `${height} ${field}` : message;
}
