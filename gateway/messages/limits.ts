import type { SubscriberLimits } from "./subscriber.js";

/** Limits of the connections of `/ws`, and the same ones of `/events`. */
export interface MessageLimits extends SubscriberLimits {
  /** Open connections; one more is answered with HTTP 503. Default 20,000. */
  readonly connections: number;
  /** Open connections of one client; one more is answered with HTTP 429. Default 100. */
  readonly connectionsPerClient: number;
  /** Subscriptions per connection; one more is answered with an error. Default 1,000. */
  readonly subscriptionsPerConnection: number;
  /**
   * Bytes queued for one connection that does not read; above it the connection is closed. An event counts once,
   * however many topics it belongs to, and is shared among connections, so this is not memory per connection. Must
   * hold all events of the largest block. Default 16,777,216 (16 MiB).
   */
  readonly bufferedBytes: number;
  /**
   * Interval of pings and heartbeats, in ms; a client that takes none of the queued bytes in two intervals is
   * disconnected, and so is one of `/ws` that has not answered by the next ping. Default 30,000.
   */
  readonly pingIntervalMs: number;
}

export const defaultMessageLimits: MessageLimits = {
  connections: 20_000,
  connectionsPerClient: 100,
  subscriptionsPerConnection: 1_000,
  bufferedBytes: 16 * 1024 * 1024,
  pingIntervalMs: 30_000,
};
