import { renderNodeInfo, renderNodeTime } from "../../catapult/json/node.js";
import type { NodeInfo } from "../../catapult/wire/node-info.js";
import type { CommunicationTimestamps } from "../../catapult/wire/requests.js";
import { type DatabaseStorage, readStorage, type Storage } from "../../database/queries/storage.js";
import { builder } from "../graph/builder.js";
import { heavy } from "../graph/cost.js";

const NodeInfoType = builder.objectRef<NodeInfo>("NodeInfo").implement({
  description: "A node's information about itself or another node.",
  fields: (t) => ({
    version: t.expose("version", {
      type: "SafeInt",
      description: "Version: four numbers of a byte each, 16777992 is 1.0.3.8.",
    }),
    publicKey: t.expose("publicKey", { description: "Main public key of the node.", type: "PublicKey" }),
    networkGenerationHashSeed: t.expose("networkGenerationHashSeed", {
      description: "Generation hash seed, which identifies the network.",
      type: "Hash256",
    }),
    roles: t.expose("roles", { type: "SafeInt", description: "Bits: 1 peer, 2 API, 4 voting, 64 IPv4, 128 IPv6." }),
    port: t.exposeInt("port", { description: "Port for other nodes." }),
    networkIdentifier: t.exposeInt("networkIdentifier", { description: "104 main, 152 test." }),
    friendlyName: t.exposeString("friendlyName", { description: "Name set by the node's owner." }),
    host: t.exposeString("host", { description: "Host name set by the node's owner; may be empty." }),
    nodePublicKey: t.field({
      type: "PublicKey",
      nullable: true,
      description:
        "Public key of the node's own certificate, which requests for delegated harvesting are sent to; null for peers.",
      resolve: (info) => info.nodePublicKey ?? null,
    }),
    document: t.string({ description: "The REST body as JSON text.", resolve: renderNodeInfo }),
  }),
});

const NodeTimeType = builder.objectRef<CommunicationTimestamps>("NodeTime").implement({
  description: "The node's clock, in milliseconds since the network's epoch adjustment.",
  fields: (t) => ({
    sendTimestamp: t.expose("sendTimestamp", { type: "SafeInt", description: "When the response was sent." }),
    receiveTimestamp: t.expose("receiveTimestamp", { type: "SafeInt", description: "When the request was received." }),
    document: t.string({ description: "The REST body as JSON text.", resolve: renderNodeTime }),
  }),
});

const DatabaseStorageType = builder.objectRef<DatabaseStorage>("DatabaseStorage").implement({
  description: "Statistics of PostgreSQL; sizes in bytes.",
  fields: (t) => ({
    indexes: t.expose("indexes", { description: "Number of indexes.", type: "SafeInt" }),
    rows: t.expose("rows", { type: "SafeInt", description: "Rows of all tables, as last estimated by PostgreSQL." }),
    dataSize: t.expose("dataSize", { description: "Size of all tables.", type: "SafeInt" }),
    indexSize: t.expose("indexSize", { description: "Size of all indexes.", type: "SafeInt" }),
    totalSize: t.expose("totalSize", { description: "Size of tables and indexes.", type: "SafeInt" }),
  }),
});

const StorageType = builder.objectRef<Storage>("Storage").implement({
  description: "Number of indexed entries.",
  fields: (t) => ({
    blocks: t.expose("blocks", { description: "Number of indexed blocks.", type: "SafeInt" }),
    transactions: t.expose("transactions", {
      type: "SafeInt",
      description: "Number of indexed transactions, including embedded ones.",
    }),
    accounts: t.expose("accounts", { description: "Number of indexed accounts.", type: "SafeInt" }),
    database: t.expose("database", { description: "Statistics of the database.", type: DatabaseStorageType }),
  }),
});

builder.queryFields((t) => ({
  storage: t.field({
    type: StorageType,
    extensions: heavy,
    description: "Number of indexed entries.",
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
    description: "The node's information about itself.",
    resolve: (_root, _args, { node }) => node.nodeInfo(),
  }),
  nodePeers: t.field({
    type: [NodeInfoType],
    extensions: heavy,
    description: "Peers of the node.",
    resolve: (_root, _args, { node }) => node.peers(),
  }),
  nodeTime: t.field({
    type: NodeTimeType,
    extensions: heavy,
    description: "The node's clock.",
    resolve: (_root, _args, { node }) => node.time(),
  }),
}));
