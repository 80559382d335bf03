/** What clients of `/ws` may use. */
export interface WebSocketLimits {
  /** Open connections; one more is answered with HTTP 503. Default 20,000. */
  readonly connections: number;
  /** Open connections of one client; one more is answered with HTTP 429. Default 100. */
  readonly connectionsPerClient: number;
  /** Subscriptions of one connection; one more is answered with an error. Default 1,000. */
  readonly subscriptionsPerConnection: number;
  /** Size of a message from a client, in bytes; a larger one closes the connection with 1009. Default 4,096. */
  readonly messageBytes: number;
  /** Messages of all connections of one client that are handled in a second; the others wait. Default 1,000. */
  readonly messagesPerSecond: number;
  /** What is read from all connections of one client in a second, in bytes; the rest waits in the sockets. Default 262,144. */
  readonly bytesPerSecond: number;
  /**
   * What may be pending for one connection that does not read, in bytes; beyond it the connection is closed with 1013. An
   * event counts once, however many topics it belongs to, and is shared among connections, so this is not memory for each.
   * Must hold all events of the largest block. Default 16,777,216 (16 MiB).
   */
  readonly bufferedBytes: number;
  /**
   * Time between pings, in ms; who has not answered one until the next is cut, and so is who takes nothing of what is
   * pending from one to the next but one. Default 30,000.
   */
  readonly pingIntervalMs: number;
  /** Time for the closing handshake before the socket is cut, in ms. Default 5,000. */
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
