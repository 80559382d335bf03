import { z } from "zod";
import { NodeInfoDTO, NodeTimeDTO, type UnlockedAccountBody, UnlockedAccountDTO } from "../../../catapult/body/node.js";
import {
  type NodeHealthBody,
  NodeHealthInfoDTO,
  NodeMetadataDTO,
  type ServerInfoBody,
  ServerInfoDTO,
  type StorageInfoBody,
  StorageInfoDTO,
} from "../body/node.js";
import { joinBodies } from "./page.js";
import { json, operationRoute, type Route, serverRoute } from "./route.js";

interface Document {
  readonly document: string;
}

interface StorageData {
  readonly storage: {
    readonly blocks: number;
    readonly transactions: number;
    readonly accounts: number;
    readonly database: {
      readonly indexes: number;
      readonly rows: number;
      readonly dataSize: number;
      readonly indexSize: number;
      readonly totalSize: number;
    };
  };
}

export const nodeRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/node/health",
      operationId: "getNodeHealth",
      tag: "Node",
      summary: "Whether the node and the database are reachable; status 503 if one is not.",
      arguments: {},
      result: NodeHealthInfoDTO,
      unavailable: NodeHealthInfoDTO,
    },
    {
      operation: "{ health { apiNode db } }",
      followsChain: false,
      answer: ({ health }: { health: NodeHealthBody["status"] }) => {
        const isUp = health.apiNode === "up" && health.db === "up";
        return { ...json<NodeHealthBody>({ status: health }), status: isUp ? 200 : 503 };
      },
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/node/info",
      operationId: "getNodeInfo",
      tag: "Node",
      summary: "Information about the node.",
      arguments: {},
      result: NodeInfoDTO,
    },
    {
      operation: "{ nodeInfo { document } }",
      followsChain: false,
      answer: ({ nodeInfo }: { nodeInfo: Document }) => ({ body: nodeInfo.document }),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/node/peers",
      operationId: "getNodePeers",
      tag: "Node",
      summary: "The peers of the node.",
      arguments: {},
      result: z.array(NodeInfoDTO),
    },
    {
      operation: "{ nodePeers { document } }",
      followsChain: false,
      answer: ({ nodePeers }: { nodePeers: readonly Document[] }) => ({ body: joinBodies(nodePeers) }),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/node/time",
      operationId: "getNodeTime",
      tag: "Node",
      summary: "The node's clock, in milliseconds since the network's epoch adjustment.",
      arguments: {},
      result: NodeTimeDTO,
    },
    {
      operation: "{ nodeTime { document } }",
      followsChain: false,
      answer: ({ nodeTime }: { nodeTime: Document }) => ({ body: nodeTime.document }),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/node/storage",
      operationId: "getNodeStorage",
      tag: "Node",
      summary: "Number of indexed entries.",
      arguments: {},
      result: StorageInfoDTO,
    },
    {
      operation: "{ storage { blocks transactions accounts database { indexes rows dataSize indexSize totalSize } } }",
      followsChain: false,
      answer: ({ storage: { blocks, transactions, accounts, database } }: StorageData) =>
        json<StorageInfoBody>({
          numBlocks: blocks,
          numTransactions: transactions,
          numAccounts: accounts,
          database: {
            numIndexes: database.indexes,
            numObjects: database.rows,
            dataSize: database.dataSize,
            indexSize: database.indexSize,
            storageSize: database.totalSize,
          },
        }),
    },
  ),
  operationRoute(
    {
      method: "GET",
      path: "/node/unlockedaccount",
      operationId: "getUnlockedAccount",
      tag: "Node",
      summary: "Public keys of the accounts that harvest on the node, which answers trusted hosts only.",
      arguments: {},
      result: UnlockedAccountDTO,
    },
    {
      operation: "{ unlockedAccounts }",
      followsChain: false,
      answer: ({ unlockedAccounts }: { unlockedAccounts: readonly string[] }) =>
        json<UnlockedAccountBody>({ unlockedAccount: unlockedAccounts }),
    },
  ),
  serverRoute(
    {
      method: "GET",
      path: "/node/metadata",
      operationId: "getNodeMetadata",
      tag: "Node",
      summary: "Metadata of this node, set by its operator.",
      result: NodeMetadataDTO,
    },
    ({ nodeMetadata }) => json(nodeMetadata),
  ),
  serverRoute(
    {
      method: "GET",
      path: "/node/server",
      operationId: "getServerInfo",
      tag: "Node",
      summary: "Version of this gateway.",
      result: ServerInfoDTO,
    },
    ({ version }) =>
      json<ServerInfoBody>({
        serverInfo: {
          restVersion: version,
          deployment: { deploymentTool: "symbol-gateway", deploymentToolVersion: version, lastUpdatedDate: "N/A" },
        },
      }),
  ),
];
