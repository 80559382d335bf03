import { renderNodeInfo, renderNodeTime } from "../../catapult/json/node.js";
import type { NodeInfo } from "../../catapult/wire/node-info.js";
import type { CommunicationTimestamps } from "../../catapult/wire/requests.js";
import { type DatabaseStorage, readStorage, type Storage } from "../../database/queries/storage.js";
import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";

const NodeInfoType = builder.objectRef<NodeInfo>("NodeInfo").implement({
  description: "What a node says of itself or of another node.",
  fields: (t) => ({
    version: t.expose("version", { type: "SafeInt", description: "Four numbers, a byte each: 16777992 is 1.0.3.8." }),
    publicKey: t.expose("publicKey", { description: "The main key of the node.", type: "PublicKey" }),
    networkGenerationHashSeed: t.expose("networkGenerationHashSeed", {
      description: "Names the network.",
      type: "Hash256",
    }),
    roles: t.expose("roles", { type: "SafeInt", description: "Bits: 1 peer, 2 API, 4 voting, 64 IPv4, 128 IPv6." }),
    port: t.exposeInt("port", { description: "Where it speaks with other nodes." }),
    networkIdentifier: t.exposeInt("networkIdentifier", { description: "104 main, 152 test." }),
    friendlyName: t.exposeString("friendlyName", { description: "What its owner calls it." }),
    host: t.exposeString("host", { description: "What its owner says; may be empty." }),
    nodePublicKey: t.field({
      type: "PublicKey",
      nullable: true,
      description:
        "Key of the node's own certificate, to which requests for delegated harvesting are sent; null for peers.",
      resolve: (info) => info.nodePublicKey ?? null,
    }),
    document: t.string({ description: "The REST body as JSON text.", resolve: renderNodeInfo }),
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

const DatabaseStorageType = builder.objectRef<DatabaseStorage>("DatabaseStorage").implement({
  description: "Figures of PostgreSQL; sizes in bytes.",
  fields: (t) => ({
    indexes: t.expose("indexes", { description: "Number of indexes.", type: "SafeInt" }),
    rows: t.expose("rows", { type: "SafeInt", description: "Of all tables, as PostgreSQL last estimated them." }),
    dataSize: t.expose("dataSize", { description: "Of tables.", type: "SafeInt" }),
    indexSize: t.expose("indexSize", { description: "Of indexes.", type: "SafeInt" }),
    totalSize: t.expose("totalSize", { description: "Of both.", type: "SafeInt" }),
  }),
});

const StorageType = builder.objectRef<Storage>("Storage").implement({
  description: "How much there is in the index.",
  fields: (t) => ({
    blocks: t.expose("blocks", { description: "In the index.", type: "SafeInt" }),
    transactions: t.expose("transactions", { type: "SafeInt", description: "With those embedded in aggregates." }),
    accounts: t.expose("accounts", { description: "In the index.", type: "SafeInt" }),
    database: t.expose("database", { description: "What it takes.", type: DatabaseStorageType }),
  }),
});

builder.queryFields((t) => ({
  storage: t.field({
    type: StorageType,
    extensions: heavy,
    description: "How much there is in the index.",
    resolve: (_root, _args, { db }) => readStorage(db),
  }),
  unlockedAccounts: t.field({
    type: ["PublicKey"],
    extensions: heavy,
    description: "Public keys of the accounts that harvest on the node.",
    resolve: (_root, _args, { node }) => node.unlockedAccounts(),
  }),
  nodeInfo: t.field({
    type: NodeInfoType,
    extensions: heavy,
    description: "What the node says of itself.",
    resolve: (_root, _args, { node }) => node.nodeInfo(),
  }),
  nodePeers: t.field({
    type: [NodeInfoType],
    extensions: heavy,
    description: "The nodes that the node is connected with.",
    resolve: (_root, _args, { node }) => node.peers(),
  }),
  nodeTime: t.field({
    type: NodeTimeType,
    extensions: heavy,
    description: "The node's clock.",
    resolve: (_root, _args, { node }) => node.time(),
  }),
}));
