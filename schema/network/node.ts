import { renderNodeInfo, renderNodeTime } from "../../catapult/json/node.js";
import type { NodeInfo } from "../../catapult/wire/node-info.js";
import type { CommunicationTimestamps } from "../../catapult/wire/requests.js";
import { type DatabaseStorage, readStorage, type Storage } from "../../database/queries/storage.js";
import { bodyField } from "../graph/body.js";
import { builder } from "../graph/builder.js";
import { members } from "../graph/members.js";

const NodeInfoType = builder.objectRef<NodeInfo>("NodeInfo").implement({
  description: "A node's information about itself or another node.",
  fields: (t) => ({
    ...members(t, {
      version: ["SafeInt", "Version: four numbers of a byte each, 16777992 is 1.0.3.8."],
      publicKey: ["PublicKey", "Main public key of the node."],
      networkGenerationHashSeed: ["Hash256", "Generation hash seed, which identifies the network."],
      roles: ["SafeInt", "Bits: 1 peer, 2 API, 4 voting, 64 IPv4, 128 IPv6."],
      port: ["Int", "Port for other nodes."],
      networkIdentifier: ["Int", "104 main, 152 test."],
      friendlyName: ["String", "Name set by the node's owner."],
      host: ["String", "Host name set by the node's owner; may be empty."],
      nodePublicKey: [
        "PublicKey?",
        "Public key of the node's own certificate, which requests for delegated harvesting are sent to; null for peers.",
      ],
    }),
    body: bodyField(t, renderNodeInfo),
  }),
});

const NodeTimeType = builder.objectRef<CommunicationTimestamps>("NodeTime").implement({
  description: "The node's clock, in milliseconds since the network's epoch adjustment.",
  fields: (t) => ({
    ...members(t, {
      sendTimestamp: ["SafeInt", "When the response was sent."],
      receiveTimestamp: ["SafeInt", "When the request was received."],
    }),
    body: bodyField(t, renderNodeTime),
  }),
});

const DatabaseStorageType = builder.objectRef<DatabaseStorage>("DatabaseStorage").implement({
  description: "Statistics of PostgreSQL; sizes in bytes.",
  fields: (t) =>
    members(t, {
      indexes: ["SafeInt", "Number of indexes."],
      rows: ["SafeInt", "Rows of all tables, as last estimated by PostgreSQL."],
      dataSize: ["SafeInt", "Size of all tables."],
      indexSize: ["SafeInt", "Size of all indexes."],
      totalSize: ["SafeInt", "Size of tables and indexes."],
    }),
});

const StorageType = builder.objectRef<Storage>("Storage").implement({
  description: "Number of indexed entries.",
  fields: (t) =>
    members(t, {
      blocks: ["SafeInt", "Number of indexed blocks."],
      transactions: ["SafeInt", "Number of indexed transactions, including embedded ones."],
      accounts: ["SafeInt", "Number of indexed accounts."],
      database: [DatabaseStorageType, "Statistics of the database."],
    }),
});

builder.queryFields((t) => ({
  storage: t.field({
    type: StorageType,
    description: "Number of indexed entries.",
    resolve: (_root, _args, { db }) => readStorage(db),
  }),
  unlockedAccounts: t.field({
    type: ["PublicKey"],
    description: "Public keys of the accounts that harvest on the node.",
    resolve: (_root, _args, { node }) => node.unlockedAccounts(),
  }),
  nodeInfo: t.field({
    type: NodeInfoType,
    description: "The node's information about itself.",
    resolve: (_root, _args, { node }) => node.nodeInfo(),
  }),
  nodePeers: t.field({
    type: [NodeInfoType],
    description: "Peers of the node.",
    resolve: (_root, _args, { node }) => node.peers(),
  }),
  nodeTime: t.field({
    type: NodeTimeType,
    description: "The node's clock.",
    resolve: (_root, _args, { node }) => node.time(),
  }),
}));
