import { renderNodeInfo, renderNodeTime } from "../catapult/json/node.js";
import type { NodeInfo } from "../catapult/node-info.js";
import type { CommunicationTimestamps } from "../catapult/requests.js";
import { builder } from "./builder.js";

const NodeInfoType = builder.objectRef<NodeInfo>("NodeInfo").implement({
  description: "What a node says of itself or of another node.",
  fields: (t) => ({
    version: t.expose("version", { type: "SafeInt", description: "Four numbers, a byte each: 16777992 is 1.0.3.8." }),
    publicKey: t.expose("publicKey", { type: "PublicKey" }),
    networkGenerationHashSeed: t.expose("networkGenerationHashSeed", { type: "Hash256" }),
    roles: t.expose("roles", { type: "SafeInt", description: "Bits: 1 peer, 2 API, 4 voting, 64 IPv4, 128 IPv6." }),
    port: t.exposeInt("port"),
    networkIdentifier: t.exposeInt("networkIdentifier", { description: "104 main, 152 test." }),
    friendlyName: t.exposeString("friendlyName"),
    host: t.exposeString("host"),
    document: t.string({ description: "The REST body as JSON text.", resolve: (info) => renderNodeInfo(info) }),
  }),
});

const NodeTimeType = builder.objectRef<CommunicationTimestamps>("NodeTime").implement({
  description: "The node's clock, in milliseconds since the network's epoch adjustment.",
  fields: (t) => ({
    sendTimestamp: t.expose("sendTimestamp", { type: "SafeInt", description: "When the answer was sent." }),
    receiveTimestamp: t.expose("receiveTimestamp", { type: "SafeInt", description: "When the question was received." }),
    document: t.string({ description: "The REST body as JSON text.", resolve: renderNodeTime }),
  }),
});

builder.queryFields((t) => ({
  nodeInfo: t.field({
    type: NodeInfoType,
    description: "What the node says of itself.",
    resolve: (_root, _args, { node }) => node.nodeInfo(),
  }),
  nodePeers: t.field({
    type: [NodeInfoType],
    description: "The nodes that the node is connected with.",
    resolve: (_root, _args, { node }) => node.peers(),
  }),
  nodeTime: t.field({
    type: NodeTimeType,
    description: "The node's clock.",
    resolve: (_root, _args, { node }) => node.time(),
  }),
}));
