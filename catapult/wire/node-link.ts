import type { NodeRequest } from "./requests.js";

/** A request without what reads its answer, so that it can be handed to another process. */
export type NodeQuestion = Omit<NodeRequest<unknown>, "name" | "decode">;

/** The payload of a node's answer, and which node sent it. */
export interface NodeAnswer {
  readonly payload: Buffer;
  /** `host:port`. */
  readonly node: string;
  /** Public key of the node's own certificate, 32 bytes. */
  readonly nodeKey: Buffer;
}

/**
 * What a `NodeClient` sends its requests through: a connection of this process (`NodeConnector`) or the connection of
 * another process.
 */
export interface NodeLink {
  /** The connected node as `host:port`, with its identity (32 bytes); undefined where none is known. */
  readonly connectedNode: { readonly node: string; readonly publicKey: Buffer } | undefined;
  /** @throws NodeUnavailableError when no node can be reached, NodeError when the connection breaks meanwhile */
  request(question: NodeQuestion): Promise<NodeAnswer>;
  /** Sends a packet for each payload. @throws as {@link request} */
  push(type: number, payloads: readonly Buffer[]): Promise<void>;
  /** Rejects outstanding and later requests, and closes the connection, if it is one of this process. */
  close(): Promise<void>;
}
