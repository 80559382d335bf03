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

export const nodeRoutes: readonly Route[] = [
  operationRoute(
    {
      method: "GET",
      path: "/node/health",
      operationId: "getNodeHealth",
      tag: "Node",
      summary: "Whether the node and the database can be reached; with status 503 when one cannot.",
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
      summary: "What the node says of itself.",
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
      summary: "The nodes that the node is connected with.",
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
