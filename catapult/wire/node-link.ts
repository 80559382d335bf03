import type { NodeRequest } from "./requests.js";

/** A request without the decoder of its response, so that it can be sent to another process. */
export type NodeQuery = Omit<NodeRequest<unknown>, "name" | "decode">;

/** The payload of a node's response, and the node that sent it. */
export interface NodeAnswer {
  readonly payload: Buffer;
  /** `host:port`. */
  readonly node: string;
  /** Public key of the node's own certificate, 32 bytes. */
  readonly nodeKey: Buffer;
}

/** Sends the requests of a `NodeClient`: a `NodeConnector`, or one with something around it. */
export interface NodeLink {
  /** The connected node as `host:port`, with its identity (32 bytes); undefined if unknown. */
  readonly connectedNode: { readonly node: string; readonly publicKey: Buffer } | undefined;
  /** @throws NodeUnavailableError when no node is reachable, NodeError when the connection breaks meanwhile */
  request(question: NodeQuery): Promise<NodeAnswer>;
  /**
   * Sends a packet for each payload.
   *
   * @param to the identity of the node that may get them (32 bytes); by default any
   * @throws like {@link request}, NodeError if another node is connected, which gets nothing
   */
  push(type: number, payloads: readonly Buffer[], to?: Buffer): Promise<void>;
  /** Rejects outstanding and later requests, and closes the connection if it belongs to this process. */
  close(): Promise<void>;
}
