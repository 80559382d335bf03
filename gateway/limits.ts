/** Clocks and sizes of a gateway that no setting changes; tests do. */
export interface GatewayLimits {
  /** Timeout of a node's response, in ms. */
  readonly nodeTimeoutMs: number;
  /** Timeout of a statement of the database, in ms. */
  readonly statementTimeoutMs: number;
  /** Timeout for receiving a request, in ms. */
  readonly requestTimeoutMs: number;
  /** Size of the response cache, in bytes; 0 = no cache. */
  readonly responseCacheBytes: number;
}

export const defaultGatewayLimits: GatewayLimits = {
  nodeTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  responseCacheBytes: 32 * 1024 * 1024,
};
