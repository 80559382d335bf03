import type { NodeError, NodeUnavailableError } from "./errors.js";
import {
  type FinalizationStatistics,
  finalizationProofAtEpochRequest,
  finalizationProofAtHeightRequest,
  finalizationStatisticsRequest,
} from "./finalization.js";
import { NodeConnector, type NodeConnectorOptions } from "./node-connector.js";
import { type NodeInfo, nodeInfoRequest, peersRequest } from "./node-info.js";
import type { NodeLink } from "./node-link.js";
import { PacketType } from "./packet-type.js";
import {
  type BlockLimits,
  blockHashesRequest,
  blocksRequest,
  type ChainStatistics,
  type CommunicationTimestamps,
  chainStatisticsRequest,
  decodeAnswer,
  type NodeRequest,
  timeRequest,
  unlockedAccountsRequest,
} from "./requests.js";
import { statePathRequest } from "./state-request.js";
import {
  checkCosignaturePayload,
  checkTransactionPayload,
  type PartialFilter,
  type PartialTransaction,
  partialTransactionsRequest,
  type UnconfirmedFilter,
  unconfirmedTransactionsRequest,
} from "./transaction-pool.js";

/**
 * The typed requests to a node, over its own {@link NodeConnector} or the given link.
 *
 * Requests may overlap and are pipelined. All throw {@link NodeUnavailableError} when no node is reachable, a
 * {@link NodeError} when the connection breaks meanwhile or the response is invalid, and RangeError for arguments that no
 * node would answer. None is repeated unless the link is configured to: the caller knows whether that is safe.
 */
export class NodeClient {
  readonly #link: NodeLink;

  constructor(options: NodeConnectorOptions | { readonly link: NodeLink }) {
    this.#link = "link" in options ? options.link : new NodeConnector(options);
  }

  /** The connected node, as `host:port` with its identity (32 bytes). */
  get connectedNode(): NodeLink["connectedNode"] {
    return this.#link.connectedNode;
  }

  /** Height, finalized height and score, from one moment. */
  chainStatistics(): Promise<ChainStatistics> {
    return this.ask(chainStatisticsRequest());
  }

  /** Hashes of blocks, 32 bytes each; see {@link blockHashesRequest}. */
  async blockHashes(fromHeight: number, maxHashes: number): Promise<Buffer[]> {
    return this.ask(blockHashesRequest(fromHeight, maxHashes));
  }

  /** Whole blocks, each with its transactions; see {@link blocksRequest}. None if the chain is not that high. */
  async blocks(fromHeight: number, limits: BlockLimits): Promise<Buffer[]> {
    return this.ask(blocksRequest(fromHeight, limits));
  }

  /** The latest finalized block. */
  finalizationStatistics(): Promise<FinalizationStatistics> {
    return this.ask(finalizationStatisticsRequest());
  }

  /** For `decodeFinalizationProof`; `undefined` if the node has none. */
  async finalizationProofAtEpoch(epoch: number): Promise<Buffer | undefined> {
    return this.ask(finalizationProofAtEpochRequest(epoch));
  }

  /** For `decodeFinalizationProof`; `undefined` if the node has none, as for heights inside an epoch. */
  async finalizationProofAtHeight(height: number): Promise<Buffer | undefined> {
    return this.ask(finalizationProofAtHeightRequest(height));
  }

  /** The node's information about itself, and the key of its certificate. */
  async nodeInfo(): Promise<NodeInfo> {
    const { decoded, nodeKey } = await this.#exchange(nodeInfoRequest());
    return { ...decoded, nodePublicKey: nodeKey };
  }

  /** The peers of the node. */
  peers(): Promise<NodeInfo[]> {
    return this.ask(peersRequest());
  }

  /** When the node received the request and sent the response, in ms since the network's epoch. */
  time(): Promise<CommunicationTimestamps> {
    return this.ask(timeRequest());
  }

  /** Public keys (32 bytes) of the accounts that harvest on the node; it must trust us. */
  unlockedAccounts(): Promise<Buffer[]> {
    return this.ask(unlockedAccountsRequest());
  }

  /** Whole transactions in the node's pool. */
  async unconfirmedTransactions(filter?: UnconfirmedFilter): Promise<Buffer[]> {
    return this.ask(unconfirmedTransactionsRequest(filter));
  }

  /** Partial aggregates. */
  async partialTransactions(filter?: PartialFilter): Promise<PartialTransaction[]> {
    return this.ask(partialTransactionsRequest(filter));
  }

  /** The path through the state tree to a key; see {@link statePathRequest}. */
  async statePath(packetType: number, key: Buffer): Promise<Buffer> {
    return this.ask(statePathRequest(packetType, key));
  }

  /**
   * Announces transactions, one packet each, so that a node that cannot decode one still accepts the others.
   *
   * @param to see {@link NodeLink.push}
   */
  async pushTransactions(payloads: readonly Buffer[], to?: Buffer): Promise<void> {
    payloads.forEach(checkTransactionPayload);
    await this.#link.push(PacketType.pushTransactions, payloads, to);
  }

  /** Announces bonded aggregates, one packet each. */
  async pushPartialTransactions(payloads: readonly Buffer[], to?: Buffer): Promise<void> {
    payloads.forEach(checkTransactionPayload);
    await this.#link.push(PacketType.pushPartialTransactions, payloads, to);
  }

  /** Announces detached cosignatures of 136 bytes. */
  async pushCosignatures(payloads: readonly Buffer[], to?: Buffer): Promise<void> {
    payloads.forEach(checkCosignaturePayload);
    await this.#link.push(PacketType.pushDetachedCosignatures, payloads, to);
  }

  /** Sends any {@link NodeRequest}. */
  async ask<T>(request: NodeRequest<T>): Promise<T> {
    return (await this.#exchange(request)).decoded;
  }

  /** Closes the link; outstanding and later requests are rejected. */
  close(): Promise<void> {
    return this.#link.close();
  }

  async #exchange<T>(request: NodeRequest<T>): Promise<{ readonly decoded: T; readonly nodeKey: Buffer }> {
    const { name: _name, decode: _decode, ...question } = request;
    const { payload, node, nodeKey } = await this.#link.request(question);
    return { decoded: decodeAnswer(request, payload, node), nodeKey };
  }
}
