/** Limits of clients of `/ws`. */
export interface WebSocketLimits {
  /** Open connections; one more is answered with HTTP 503. Default 20,000. */
  readonly connections: number;
  /** Open connections of one client; one more is answered with HTTP 429. Default 100. */
  readonly connectionsPerClient: number;
  /** Subscriptions per connection; one more is answered with an error. Default 1,000. */
  readonly subscriptionsPerConnection: number;
  /** Maximum size of a client's message, in bytes; a larger one closes the connection with 1009. Default 4,096. */
  readonly messageBytes: number;
  /** Messages of all connections of one client that are handled per second; the rest is delayed. Default 1,000. */
  readonly messagesPerSecond: number;
  /** Bytes read from all connections of one client per second; the rest stays in the sockets. Default 262,144. */
  readonly bytesPerSecond: number;
  /**
   * Bytes queued for one connection that does not read; above it the connection is closed with 1013. An event counts
   * once, however many topics it belongs to, and is shared among connections, so this is not memory per connection.
   * Must hold all events of the largest block. Default 16,777,216 (16 MiB).
   */
  readonly bufferedBytes: number;
  /**
   * Ping interval, in ms; a client that has not answered by the next ping is disconnected, and so is one that takes
   * none of the queued bytes in two intervals. Default 30,000.
   */
  readonly pingIntervalMs: number;
  /** Timeout of the closing handshake, in ms. Default 5,000. */
  readonly closeTimeoutMs: number;
}

export const defaultLimits: WebSocketLimits = {
  connections: 20_000,
  connectionsPerClient: 100,
  subscriptionsPerConnection: 1_000,
  messageBytes: 4_096,
  messagesPerSecond: 1_000,
  bytesPerSecond: 256 * 1024,
  bufferedBytes: 16 * 1024 * 1024,
  pingIntervalMs: 30_000,
  closeTimeoutMs: 5_000,
};
