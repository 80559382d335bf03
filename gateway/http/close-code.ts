/** Why a connection is closed (RFC 6455, section 7.4, and the IANA registry of close codes). */
export const CloseCode = {
  /** The gateway is going down: connect again, to another one if there is one. */
  goingAway: 1001,
  /** A message that is no JSON object, or has not the connection's uid. */
  policyViolation: 1008,
  /** A message above the size limit. */
  messageTooBig: 1009,
  /** The gateway failed; its log says how. */
  internalError: 1011,
  /** The client reads too slowly, or messages were missed: connect again. */
  tryAgainLater: 1013,
} as const;

export type CloseCode = (typeof CloseCode)[keyof typeof CloseCode];
