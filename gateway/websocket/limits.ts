import { defaultMessageLimits, type MessageLimits } from "../messages/limits.js";
import type { SocketLimits } from "../sockets/sockets.js";

/** Limits of clients of `/ws`. */
export interface WebSocketLimits extends MessageLimits, SocketLimits {
  /** Interval of the messages of the topic `heartbeat`, in ms. Default 15,000. */
  readonly heartbeatMs: number;
}

export const defaultLimits: WebSocketLimits = {
  ...defaultMessageLimits,
  messageBytes: 4_096,
  messagesPerSecond: 1_000,
  bytesPerSecond: 256 * 1024,
  closeTimeoutMs: 5_000,
  heartbeatMs: 15_000,
};
