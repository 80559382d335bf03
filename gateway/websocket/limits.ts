import { defaultMessageLimits, type MessageLimits } from "../messages/limits.js";

/** Limits of clients of `/ws`. */
export interface WebSocketLimits extends MessageLimits {
  /** Maximum size of a client's message, in bytes; a larger one closes the connection with 1009. Default 4,096. */
  readonly messageBytes: number;
  /** Messages of all connections of one client that are handled per second; the rest is delayed. Default 1,000. */
  readonly messagesPerSecond: number;
  /** Bytes read from all connections of one client per second; the rest stays in the sockets. Default 262,144. */
  readonly bytesPerSecond: number;
  /** Timeout of the closing handshake, in ms. Default 5,000. */
  readonly closeTimeoutMs: number;
}

export const defaultLimits: WebSocketLimits = {
  ...defaultMessageLimits,
  messageBytes: 4_096,
  messagesPerSecond: 1_000,
  bytesPerSecond: 256 * 1024,
  closeTimeoutMs: 5_000,
};
