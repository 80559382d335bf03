import { joinDocuments } from "./page.js";
import { json, operationRoute, type Route, serverRoute } from "./route.js";

const nodeSchema = {
  type: "object",
  required: [
    "version",
    "publicKey",
    "networkGenerationHashSeed",
    "roles",
    "port",
    "networkIdentifier",
    "friendlyName",
    "host",
  ],
};

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
      result: { type: "object", required: ["status"], properties: { status: { type: "object" } } },
    },
    {
      operation: "{ health { apiNode db } }",
      followsChain: false,
      answer: ({ health }: { health: { apiNode: string; db: string } }) => {
        const isUp = health.apiNode === "up" && health.db === "up";
        return { ...json({ status: health }), status: isUp ? 200 : 503 };
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
      result: nodeSchema,
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
      result: { type: "array", items: nodeSchema },
    },
    {
      operation: "{ nodePeers { document } }",
      followsChain: false,
      answer: ({ nodePeers }: { nodePeers: readonly Document[] }) => ({ body: joinDocuments(nodePeers) }),
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
      result: { type: "object", required: ["communicationTimestamps"] },
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
      result: { type: "object", required: ["numBlocks", "numTransactions", "numAccounts", "database"] },
    },
    {
      operation: "{ storage { blocks transactions accounts database { indexes rows dataSize indexSize totalSize } } }",
      followsChain: false,
      answer: ({ storage: { blocks, transactions, accounts, database } }: StorageData) =>
        json({
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
      result: { type: "object", required: ["unlockedAccount"] },
    },
    {
      operation: "{ unlockedAccounts }",
      followsChain: false,
      answer: ({ unlockedAccounts }: { unlockedAccounts: readonly string[] }) =>
        json({ unlockedAccount: unlockedAccounts }),
    },
  ),
  serverRoute(
    {
      method: "GET",
      path: "/node/metadata",
      operationId: "getNodeMetadata",
      tag: "Node",
      summary: "Metadata of this node, set by its operator.",
      result: { type: "object", additionalProperties: true },
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
      result: { type: "object", required: ["serverInfo"] },
    },
    ({ version }) =>
      json({
        serverInfo: {
          restVersion: version,
          deployment: { deploymentTool: "symbol-gateway", deploymentToolVersion: version, lastUpdatedDate: "N/A" },
        },
      }),
  ),
];
