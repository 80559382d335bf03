import { z } from "zod";
import { hex } from "../entity/hex.js";
import { type BodyOf, Hash256, NetworkTypeEnum, PublicKey, Timestamp } from "../values/scalars.js";
import type { NodeInfo } from "../wire/node-info.js";
import type { CommunicationTimestamps } from "../wire/requests.js";
import { decimalText } from "./format.js";

export const NodeInfoDTO = z
  .object({
    version: z.int().describe("Four numbers, one byte each: 16777992 is 1.0.3.8."),
    publicKey: PublicKey.describe("Main public key of the node."),
    networkGenerationHashSeed: Hash256.describe("Hash that identifies the node's network."),
    roles: z.int().describe("Bits: 1 peer, 2 API, 4 voting, 64 IPv4, 128 IPv6."),
    port: z.int().min(0).max(0xffff).describe("Port for other nodes."),
    networkIdentifier: NetworkTypeEnum.describe("Network of the node."),
    friendlyName: z.string().describe("Name that the node's owner has given it."),
    host: z.string().describe("Host name or address as the node reports it; may be empty."),
    nodePublicKey: PublicKey.describe(
      "Public key of the node's certificate, for requests of delegated harvesting; absent for peers.",
    ).optional(),
  })
  .meta({ id: "NodeInfoDTO", description: "A node's information about itself." });

/** The REST body of a node. */
export type NodeInfoBody = BodyOf<typeof NodeInfoDTO>;

export const NodeTimeDTO = z
  .object({
    communicationTimestamps: z
      .object({
        sendTimestamp: Timestamp.describe("When the node sent its answer."),
        receiveTimestamp: Timestamp.describe("When the node received the request."),
      })
      .meta({
        id: "CommunicationTimestampsDTO",
        description: "The node's clock when it received the request and when it answered.",
      }),
  })
  .meta({ id: "NodeTimeDTO", description: "The node's clock." });

/** The REST body of the node's clock. */
export type NodeTimeBody = BodyOf<typeof NodeTimeDTO>;

export const UnlockedAccountDTO = z
  .object({ unlockedAccount: z.array(PublicKey).describe("Public keys of the accounts that harvest on the node.") })
  .meta({ id: "UnlockedAccountDTO", description: "Public keys of the accounts that harvest on the node." });

/** The REST body of the accounts that harvest on the node. */
export type UnlockedAccountBody = BodyOf<typeof UnlockedAccountDTO>;

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
