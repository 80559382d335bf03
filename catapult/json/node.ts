import type { NodeInfoBody, NodeTimeBody, UnlockedAccountBody } from "../body/node.js";
import { hex } from "../entity/hex.js";
import type { NodeInfo } from "../wire/node-info.js";
import type { CommunicationTimestamps } from "../wire/requests.js";
import { decimalText } from "./format.js";

function nodeFields(node: NodeInfo): NodeInfoBody {
  return {
    version: node.version,
    publicKey: hex(node.publicKey),
    networkGenerationHashSeed: hex(node.networkGenerationHashSeed),
    roles: node.roles,
    port: node.port,
    networkIdentifier: node.networkIdentifier,
    host: node.host,
    friendlyName: node.friendlyName,
    ...(node.nodePublicKey && { nodePublicKey: hex(node.nodePublicKey) }),
  };
}

/** The body of `/node/info` (`NodeInfoDTO`). */
export function renderNodeInfo(node: NodeInfo): string {
  return JSON.stringify(nodeFields(node));
}

/** The body of `/node/peers`. */
export function renderNodePeers(nodes: readonly NodeInfo[]): string {
  return JSON.stringify(nodes.map(nodeFields));
}

/** The body of `/node/time` (`NodeTimeDTO`). */
export function renderNodeTime({ sendTimestamp, receiveTimestamp }: CommunicationTimestamps): string {
  return JSON.stringify({
    communicationTimestamps: {
      sendTimestamp: decimalText(sendTimestamp),
      receiveTimestamp: decimalText(receiveTimestamp),
    },
  } satisfies NodeTimeBody);
}

/** The body of `/node/unlockedaccount`: public keys (32 bytes) of the accounts that harvest on the node. */
export function renderUnlockedAccounts(publicKeys: readonly Buffer[]): string {
  return JSON.stringify({ unlockedAccount: publicKeys.map(hex) } satisfies UnlockedAccountBody);
}
