import type { NodeCredentials } from "../catapult/certificate/certificate.js";
import { NodeConnector, type NodeConnectorOptions, type NodeEndpoint } from "../catapult/wire/node-connector.js";

export interface GatewayConnectionOptions extends Pick<NodeConnectorOptions, "log"> {
  /** Tried in this order. */
  readonly nodes: readonly NodeEndpoint[];
  readonly credentials: NodeCredentials;
  /** For an answer of the node, in ms; default 5,000. */
  readonly nodeTimeoutMs?: number | undefined;
}

const DEFAULT_NODE_TIMEOUT_MS = 5_000;
/** A node allows few connections of one identity: an idle gateway leaves its own to others. */
const IDLE_MS = 10_000;
/** Any client can send requests that need the diagnostics extension. */
const DIAGNOSTIC_PAUSE_MS = 30_000;

/** The connection of a gateway, or of all workers of one, to a node. All that it requests may be sent twice. */
export function connectGateway({ nodes, credentials, log, nodeTimeoutMs }: GatewayConnectionOptions): NodeConnector {
  const timeoutMs = nodeTimeoutMs ?? DEFAULT_NODE_TIMEOUT_MS;
  return new NodeConnector({
    nodes,
    credentials,
    log,
    requestTimeoutMs: timeoutMs,
    connectTimeoutMs: timeoutMs,
    idleMs: IDLE_MS,
    repeatLost: true,
    diagnosticPauseMs: DIAGNOSTIC_PAUSE_MS,
  });
}
