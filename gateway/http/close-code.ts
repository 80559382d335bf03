/** Why a connection is closed (RFC 6455, section 7.4, and the IANA registry of close codes). */
export const CloseCode = {
  /** The gateway is shutting down: reconnect, to another one if possible. */
  goingAway: 1001,
  /** A message is not a JSON object, or lacks the connection's uid. */
  policyViolation: 1008,
  /** A message above the size limit. */
  messageTooBig: 1009,
  /** The gateway failed; its log has the cause. */
  internalError: 1011,
  /** The client reads too slowly, or messages were missed: reconnect. */
  tryAgainLater: 1013,
} as const;

export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];
