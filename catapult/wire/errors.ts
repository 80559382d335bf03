import { describePacketType, extensionFor, type OptionalExtension } from "./packet-type.js";

/** Base of all protocol errors of a peer. `node` is its `host:port`. */
export class NodeError extends Error {
  readonly node: string;
  /** The message without the node. */
  readonly reason: string;

  constructor(node: string, reason: string, options?: ErrorOptions) {
    super(`node ${node}: ${reason}`, options);
    this.name = new.target.name;
    this.node = node;
    this.reason = reason;
  }
}

/**
 * A frame that is not a packet, or is larger than the request allows: its size field is below that of the header or
 * above the limit.
 */
export class PacketError extends NodeError {
  /** Bytes, header included. */
  readonly size: number;
  /** Bytes, header included. */
  readonly limit: number;

  /** @param request type of the request that the frame answers, if the limit is specific to it */
  constructor(node: string, size: number, limit: number, request?: number) {
    super(
      node,
      request === undefined
        ? `packet size ${size} is not between 8 and the limit of ${limit} bytes`
        : `response to ${describePacketType(request)} has ${size} bytes, more than the ${limit} that the request allows`,
    );
    this.size = size;
    this.limit = limit;
  }
}

/** A response of another packet type than those expected, or an unsolicited packet (`expected` is empty). */
export class UnexpectedPacketError extends NodeError {
  readonly expected: readonly number[];
  readonly actual: number;

  constructor(node: string, expected: readonly number[], actual: number) {
    const wanted = expected.length === 0 ? "no packet" : expected.map(describePacketType).join(" or ");
    super(node, `expected ${wanted}, received ${describePacketType(actual)}`);
    this.expected = expected;
    this.actual = actual;
  }
}

/**
 * No response, or no further byte of it, in time. The connection is closed with it, because the order of responses
 * would be lost.
 */
export class RequestTimeoutError extends NodeError {
  readonly packetType: number;
  readonly timeoutMs: number;

  /** @param received bytes of the response that arrived before it stalled */
  constructor(node: string, packetType: number, timeoutMs: number, received = 0) {
    const request = describePacketType(packetType);
    const stalled = `response to ${request} incomplete after ${timeoutMs} ms, ${received} bytes received`;
    super(node, received === 0 ? `no response to ${request} within ${timeoutMs} ms` : stalled);
    this.packetType = packetType;
    this.timeoutMs = timeoutMs;
  }
}

/** A connection could not be opened: refused, timed out, or no TLS. */
export class ConnectError extends NodeError {
  constructor(node: string, reason: string, options?: ErrorOptions) {
    super(node, `cannot connect: ${reason}`, options);
  }
}

/** The peer's certificates are not valid for a node. */
export class PeerCertificateError extends NodeError {
  constructor(node: string, reason: string) {
    super(node, `certificates rejected: ${reason}`);
  }
}

/** A connection was closed, by either side; `cause` is the error that closed it, if any. */
export class ConnectionClosedError extends NodeError {
  /** The packet type that the node had to answer next when it closed the connection; undefined if there was none. */
  readonly request: number | undefined;

  constructor(node: string, reason: string, options?: ErrorOptions & { readonly request?: number | undefined }) {
    super(node, `connection closed: ${reason}`, options);
    this.request = options?.request;
  }

  /** Whether the node probably closed it because it lacks what this request needs. */
  get lacksExtension(): boolean {
    return this.request !== undefined && extensionFor(this.request) !== undefined;
  }
}

/**
 * The node closed a connection before it answered anything, as it does with a peer that it does not accept
 * (`PacketReaders.cpp`, `NodeDataContainer.cpp` of the reference node); it gives no reason.
 */
export class ConnectionDroppedError extends ConnectionClosedError {
  constructor(node: string, options?: ErrorOptions) {
    super(
      node,
      "dropped by the node right after the TLS handshake. Likely causes: " +
        "(1) the node knows this host by another certificate, or treats it as itself (nodeEqualityStrategy = host, " +
        "localNetworks): set CATAPULT_TLS_DIR to the folder of the node's own certificate when the node is on this " +
        "machine, otherwise to one folder for all processes of this machine; " +
        "(2) the certificate is in use on another host: each machine needs its own; " +
        "(3) all connections that the node allows are in use (maxIncomingConnectionsPerIdentity)",
      options,
    );
  }
}

const LACKS: Readonly<Record<OptionalExtension, string>> = {
  diagnostics: "it lacks the diagnostics extension, or its trustedHosts do not include this host",
  partialtransaction: "it takes no partial transactions (extension.partialtransaction)",
  timesync: "it does not tell its time (extension.timesync)",
};

/** A request that is not sent for a while, because the node closed the connection on one of this type. */
export class RequestPausedError extends NodeError {
  constructor(node: string, type: number) {
    const extension = extensionFor(type);
    const lack = extension ? `: ${LACKS[extension]}` : "";
    super(node, `closed the connection on ${describePacketType(type)}${lack}`);
  }
}

/** Whether a request fails because the node probably lacks the extension that answers it. */
export function isLacking(error: unknown): boolean {
  return error instanceof RequestPausedError || (error instanceof ConnectionClosedError && error.lacksExtension);
}

/** A response whose payload does not have the layout of its packet type. */
export class NodeResponseError extends NodeError {
  /** The request, such as `blocks from height 7`. */
  readonly request: string;
  readonly field: string;

  constructor(node: string, request: string, field: string, problem: string) {
    super(node, `invalid response to ${request}: ${field} ${problem}`);
    this.request = request;
    this.field = field;
  }
}

/** A node that was tried, and why it failed. */
export interface ConnectAttempt {
  readonly node: string;
  readonly reason: string;
}

/** None of the configured nodes is reachable now. */
export class NodeUnavailableError extends Error {
  readonly attempts: readonly ConnectAttempt[];
  /** Milliseconds until the next attempt. */
  readonly retryInMs: number;

  constructor(attempts: readonly ConnectAttempt[], retryInMs: number) {
    const tried = attempts.map(({ reason }) => reason).join("; ");
    super(`no node can be reached (next try in ${Math.ceil(retryInMs)} ms): ${tried}`);
    this.name = "NodeUnavailableError";
    this.attempts = attempts;
    this.retryInMs = retryInMs;
  }
}
