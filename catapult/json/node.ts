import type { NodeInfoBody, NodeTimeBody } from "../body/node.js";
import { hex } from "../entity/hex.js";
import type { NodeInfo } from "../wire/node-info.js";
import type { CommunicationTimestamps } from "../wire/requests.js";
import { decimalText } from "./format.js";

/** The body of `/node/info` (`NodeInfoDTO`). */
export function renderNodeInfo(node: NodeInfo): string {
  return JSON.stringify({
    version: node.version,
    publicKey: hex(node.publicKey),
    networkGenerationHashSeed: hex(node.networkGenerationHashSeed),
    roles: node.roles,
    port: node.port,
    networkIdentifier: node.networkIdentifier,
    host: node.host,
    friendlyName: node.friendlyName,
    ...(node.nodePublicKey && { nodePublicKey: hex(node.nodePublicKey) }),
  } satisfies NodeInfoBody);
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
