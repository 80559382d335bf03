import type { NodeCredentials } from "../catapult/certificate/certificate.js";
import { NodeConnector, type NodeConnectorOptions, type NodeEndpoint } from "../catapult/wire/node-connector.js";

export interface GatewayConnectionOptions extends Pick<NodeConnectorOptions, "log"> {
  /** Tried in this order. */
  readonly nodes: readonly NodeEndpoint[];
  readonly credentials: NodeCredentials;
  /** Timeout of a node's response, in ms. */
  readonly nodeTimeoutMs: number;
}

/** A node allows few connections per identity: an idle gateway frees its own. */
const IDLE_MS = 10_000;
/** Any client can send requests that need an extension which the node may lack. */
const EXTENSION_PAUSE_MS = 30_000;

/** The node connection of a gateway. All its requests may be repeated. */
export function connectGateway({
  nodes,
  credentials,
  log,
  nodeTimeoutMs: timeoutMs,
}: GatewayConnectionOptions): NodeConnector {
  return new NodeConnector({
    nodes,
    credentials,
    log,
    requestTimeoutMs: timeoutMs,
    connectTimeoutMs: timeoutMs,
    idleMs: IDLE_MS,
    repeatLost: true,
    extensionPauseMs: EXTENSION_PAUSE_MS,
  });
}
