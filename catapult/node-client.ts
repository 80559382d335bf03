import type { Logger } from "pino";
import { Backoff, type BackoffOptions } from "./backoff.js";
import type { NodeCredentials } from "./certificate.js";
import { NodeConnection } from "./connection.js";
import { type ConnectAttempt, NodeError, NodeUnavailableError } from "./errors.js";
import {
  type FinalizationStatistics,
  finalizationProofAtEpochRequest,
  finalizationProofAtHeightRequest,
  finalizationStatisticsRequest,
} from "./finalization.js";
import { type NodeInfo, nodeInfoRequest, peersRequest } from "./node-info.js";
import { PacketType } from "./packet-type.js";
import { PayloadReader } from "./payload-reader.js";
import {
  blockHashesRequest,
  blockStatementRequest,
  blocksRequest,
  type ChainStatistics,
  type CommunicationTimestamps,
  chainStatisticsRequest,
  type NodeRequest,
  SMALL_ANSWER,
  subCacheMerkleRootsRequest,
  timeRequest,
  unlockedAccountsRequest,
} from "./requests.js";
import { type StateValue, statePathRequest, stateValuesRequest } from "./state-request.js";
import {
  checkCosignaturePayload,
  checkTransactionPayload,
  type PartialFilter,
  type PartialTransaction,
  partialTransactionsRequest,
  type UnconfirmedFilter,
  unconfirmedTransactionsRequest,
} from "./transaction-pool.js";

/** Where a node listens. */
export interface NodeEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Times in ms, sizes in bytes; defaults as in {@link NodeConnection}. */
export interface NodeClientOptions {
  /** In the order in which they are to be tried. */
  readonly nodes: readonly NodeEndpoint[];
  readonly credentials: NodeCredentials;
  readonly log: Logger;
  readonly requestTimeoutMs?: number;
  /** For each node that is tried. */
  readonly connectTimeoutMs?: number;
  /** Waits after all nodes have failed; default 250 ms, doubling up to 30 s. */
  readonly reconnect?: Partial<BackoffOptions>;
  readonly maxPacketSize?: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock?: () => number;
}

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;

/**
 * Talks to the first node of a list that answers, over one connection, which is made when something is first asked.
 *
 * When the connection is lost, the next request makes a new one; the node that failed comes last then. When all have
 * failed, requests are rejected at once until a growing wait is over. Callers that ask at the same time share an attempt.
 * Requests may overlap and are pipelined. None is repeated: the caller knows whether that makes sense.
 *
 * All requests throw {@link NodeUnavailableError} when no node can be reached, a {@link NodeError} when the connection
 * breaks meanwhile or the answer is not what it should be, and RangeError for arguments that no node would answer.
 */
export class NodeClient {
  readonly #options: NodeClientOptions;
  readonly #log: Logger;
  readonly #backoff: Backoff;
  readonly #clock: () => number;
  readonly #abort = new AbortController();
  #current: { readonly connection: NodeConnection; readonly endpoint: NodeEndpoint } | undefined;
  #connecting: Promise<NodeConnection> | undefined;
  #unavailable: { readonly attempts: readonly ConnectAttempt[]; readonly until: number } | undefined;

  constructor(options: NodeClientOptions) {
    if (options.nodes.length === 0) throw new RangeError("nodes must not be empty");
    this.#options = options;
    this.#log = options.log;
    this.#backoff = new Backoff(options.reconnect);
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** The node that is connected now, as `host:port` with its identity (32 bytes). */
  get connectedNode(): { readonly node: string; readonly publicKey: Buffer } | undefined {
    const connection = this.#current?.connection;
    return connection?.isOpen ? { node: connection.node, publicKey: connection.peerPublicKey } : undefined;
  }

  /** Height, finalized height and score, of one moment. */
  chainStatistics(): Promise<ChainStatistics> {
    return this.ask(chainStatisticsRequest());
  }

  /** Hashes of blocks, 32 bytes each; see {@link blockHashesRequest}. */
  async blockHashes(fromHeight: number, maxHashes: number): Promise<Buffer[]> {
    return this.ask(blockHashesRequest(fromHeight, maxHashes));
  }

  /** Whole blocks, each with its transactions; see {@link blocksRequest}. None when the chain is not that high. */
  async blocks(fromHeight: number, limits: { maxBlocks: number; maxBytes: number }): Promise<Buffer[]> {
    return this.ask(blocksRequest(fromHeight, limits));
  }

  /** Receipts of a block; see {@link blockStatementRequest}. */
  async blockStatement(height: number): Promise<Buffer> {
    return this.ask(blockStatementRequest(height));
  }

  /** See {@link subCacheMerkleRootsRequest}. */
  async subCacheMerkleRoots(height: number): Promise<Buffer[]> {
    return this.ask(subCacheMerkleRootsRequest(height));
  }

  /** The latest finalized block. */
  finalizationStatistics(): Promise<FinalizationStatistics> {
    return this.ask(finalizationStatisticsRequest());
  }

  /** For `decodeFinalizationProof`; `undefined` when the node has none. */
  async finalizationProofAtEpoch(epoch: number): Promise<Buffer | undefined> {
    return this.ask(finalizationProofAtEpochRequest(epoch));
  }

  /** For `decodeFinalizationProof`; `undefined` when the node has none, as for heights inside an epoch. */
  async finalizationProofAtHeight(height: number): Promise<Buffer | undefined> {
    return this.ask(finalizationProofAtHeightRequest(height));
  }

  /** What the node says of itself, and the key of the certificate that it showed. */
  async nodeInfo(): Promise<NodeInfo> {
    const connection = await this.#connect();
    return { ...(await askOver(connection, nodeInfoRequest())), nodePublicKey: connection.peerNodeKey };
  }

  /** The nodes that the node is connected with. */
  peers(): Promise<NodeInfo[]> {
    return this.ask(peersRequest());
  }

  /** When the node received the question and sent the answer, in ms since the network's epoch. */
  time(): Promise<CommunicationTimestamps> {
    return this.ask(timeRequest());
  }

  /** Public keys (32 bytes) of the accounts that harvest on the node; it must trust us. */
  unlockedAccounts(): Promise<Buffer[]> {
    return this.ask(unlockedAccountsRequest());
  }

  /** Transactions in the node's pool, whole. */
  async unconfirmedTransactions(filter?: UnconfirmedFilter): Promise<Buffer[]> {
    return this.ask(unconfirmedTransactionsRequest(filter));
  }

  /** Aggregates that wait for cosignatures. */
  async partialTransactions(filter?: PartialFilter): Promise<PartialTransaction[]> {
    return this.ask(partialTransactionsRequest(filter));
  }

  /** State values by key; see {@link stateValuesRequest}. */
  async stateValues(packetType: number, keys: readonly Buffer[]): Promise<StateValue[]> {
    return this.ask(stateValuesRequest(packetType, keys));
  }

  /** The way through the state tree to a key; see {@link statePathRequest}. */
  async statePath(packetType: number, key: Buffer): Promise<Buffer> {
    return this.ask(statePathRequest(packetType, key));
  }

  /** Announces transactions, a packet for each, so that a node that cannot read one still takes the others. */
  async pushTransactions(payloads: readonly Buffer[]): Promise<void> {
    payloads.forEach(checkTransactionPayload);
    await this.#push(PacketType.pushTransactions, payloads);
  }

  /** Announces bonded aggregates, a packet for each. */
  async pushPartialTransactions(payloads: readonly Buffer[]): Promise<void> {
    payloads.forEach(checkTransactionPayload);
    await this.#push(PacketType.pushPartialTransactions, payloads);
  }

  /** Announces detached cosignatures of 136 bytes. */
  async pushCosignatures(payloads: readonly Buffer[]): Promise<void> {
    payloads.forEach(checkCosignaturePayload);
    await this.#push(PacketType.pushDetachedCosignatures, payloads);
  }

  /** Asks anything that a {@link NodeRequest} describes. */
  async ask<T>(request: NodeRequest<T>): Promise<T> {
    const connection = await this.#connect();
    return askOver(connection, request);
  }

  /** Ends the connection; what is outstanding and whatever is asked afterwards is rejected. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.#connecting?.catch(() => undefined);
    await this.#current?.connection.close();
  }

  async #push(type: number, payloads: readonly Buffer[]): Promise<void> {
    const connection = await this.#connect();
    await Promise.all(payloads.map((payload) => connection.push(type, payload)));
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
    const attempts: ConnectAttempt[] = [];
    for (const endpoint of this.#nodesInOrder()) {
      try {
        const connection = await this.#open(endpoint);
        this.#use(connection, endpoint);
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

  /** As configured, but the node whose connection was lost comes last. */
  #nodesInOrder(): NodeEndpoint[] {
    const { nodes } = this.#options;
    const failed = this.#current?.endpoint;
    return failed ? [...nodes.filter((node) => node !== failed), failed] : [...nodes];
  }

  /** A connection that has answered once: a node that does not want us (any more) lets us connect and then closes. */
  async #open({ host, port }: NodeEndpoint): Promise<NodeConnection> {
    const { credentials, requestTimeoutMs, maxPacketSize } = this.#options;
    const timeoutMs = this.#options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS;
    const signal = this.#abort.signal;
    const limits = { requestTimeoutMs, maxPacketSize, timeoutMs };
    const connection = await NodeConnection.connect({ host, port, credentials, signal, ...limits });
    const onAbort = () => void connection.close();
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    try {
      await askOver(connection, chainStatisticsRequest(), timeoutMs);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  #use(connection: NodeConnection, endpoint: NodeEndpoint): void {
    this.#current = { connection, endpoint };
    this.#unavailable = undefined;
    this.#backoff.reset();
    const publicKey = connection.peerPublicKey.toString("hex").toUpperCase();
    this.#log.info({ node: connection.node, publicKey }, "connected to a node");
    void connection.closed.then((reason) => {
      if (reason) this.#log.warn({ node: connection.node, reason: reason.message }, "lost the connection to a node");
    });
  }

  #closedError(): NodeUnavailableError {
    const attempts = this.#options.nodes.map(({ host, port }) => ({
      node: `${host}:${port}`,
      reason: `node ${host}:${port}: not tried, the client is closed`,
    }));
    return new NodeUnavailableError(attempts, Number.POSITIVE_INFINITY);
  }
}

async function askOver<T>(connection: NodeConnection, request: NodeRequest<T>, timeoutMs?: number): Promise<T> {
  const { type, payload, accept, maxAnswerSize = SMALL_ANSWER } = request;
  const answer = await connection.request(type, payload, { accept, timeoutMs, maxAnswerSize });
  const reader = new PayloadReader(answer, { node: connection.node, request: request.name });
  const decoded = request.decode(reader);
  reader.end();
  return decoded;
}
