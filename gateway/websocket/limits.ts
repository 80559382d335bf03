/** What clients of `/ws` may use. */
export interface WebSocketLimits {
  /** Open connections; one more is answered with HTTP 503. Default 20,000. */
  readonly connections: number;
  /** Subscriptions of one connection; one more is answered with an error. Default 1,000. */
  readonly subscriptionsPerConnection: number;
  /** Size of a message from a client, in bytes; a larger one closes the connection with 1009. Default 4,096. */
  readonly messageBytes: number;
  /** Messages of one connection that are looked at in a second; the others wait in its socket. Default 1,000. */
  readonly messagesPerSecond: number;
  /**
   * What may wait for one connection that does not read, in bytes; beyond it the connection is closed with 1013. Frames
   * are shared among connections, so this is not memory for each. Must hold all messages of the largest block.
   * Default 16,777,216 (16 MiB).
   */
  readonly bufferedBytes: number;
  /** Time between pings, in ms; who has not answered one until the next is cut. Default 30,000. */
  readonly pingIntervalMs: number;
  /** Time for the closing handshake before the socket is cut, in ms. Default 5,000. */
  readonly closeTimeoutMs: number;
}

export const defaultLimits: WebSocketLimits = {
  connections: 20_000,
  subscriptionsPerConnection: 1_000,
  messageBytes: 4_096,
  messagesPerSecond: 1_000,
  bufferedBytes: 16 * 1024 * 1024,
  pingIntervalMs: 30_000,
  closeTimeoutMs: 5_000,
};
