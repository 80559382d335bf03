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
import { allBodies, type Document } from "../route/page.js";
import { type Answer, json, operationRoute, type Route, type RouteDescription, serverRoute } from "../route/route.js";

const tag = "Node";

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

type About = Pick<RouteDescription, "path" | "operationId" | "summary" | "result" | "unavailable">;

/** A route without arguments. `Data` is what the operation selects. */
function nodeRoute<Data>(about: About, operation: string, answer: (data: Data) => Answer): Route {
  return operationRoute(
    { ...about, method: "GET", tag, arguments: {} },
    { operation, followsChain: false, answer: (data: Data) => answer(data) },
  );
}

export const nodeRoutes: readonly Route[] = [
  nodeRoute(
    {
      path: "/node/health",
      operationId: "getNodeHealth",
      summary: "Whether the node and the database are reachable; status 503 if one is not.",
      result: NodeHealthInfoDTO,
      unavailable: NodeHealthInfoDTO,
    },
    "{ health { apiNode db } }",
    ({ health }: { health: NodeHealthBody["status"] }) => {
      const isUp = health.apiNode === "up" && health.db === "up";
      return { ...json<NodeHealthBody>({ status: health }), status: isUp ? 200 : 503 };
    },
  ),
  nodeRoute(
    { path: "/node/info", operationId: "getNodeInfo", summary: "Information about the node.", result: NodeInfoDTO },
    "{ found: nodeInfo { document } }",
    ({ found }: { found: Document }) => ({ body: found.document }),
  ),
  nodeRoute(
    {
      path: "/node/peers",
      operationId: "getNodePeers",
      summary: "The peers of the node.",
      result: z.array(NodeInfoDTO),
    },
    "{ found: nodePeers { document } }",
    allBodies,
  ),
  nodeRoute(
    {
      path: "/node/time",
      operationId: "getNodeTime",
      summary: "The node's clock, in milliseconds since the network's epoch adjustment.",
      result: NodeTimeDTO,
    },
    "{ found: nodeTime { document } }",
    ({ found }: { found: Document }) => ({ body: found.document }),
  ),
  nodeRoute(
    {
      path: "/node/storage",
      operationId: "getNodeStorage",
      summary: "Number of indexed entries.",
      result: StorageInfoDTO,
    },
    "{ storage { blocks transactions accounts database { indexes rows dataSize indexSize totalSize } } }",
    ({ storage: { blocks, transactions, accounts, database } }: StorageData) =>
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
  ),
  nodeRoute(
    {
      path: "/node/unlockedaccount",
      operationId: "getUnlockedAccount",
      summary: "Public keys of the accounts that harvest on the node, which answers trusted hosts only.",
      result: UnlockedAccountDTO,
    },
    "{ unlockedAccounts }",
    ({ unlockedAccounts }: { unlockedAccounts: readonly string[] }) =>
      json<UnlockedAccountBody>({ unlockedAccount: unlockedAccounts }),
  ),
  serverRoute(
    {
      method: "GET",
      path: "/node/metadata",
      operationId: "getNodeMetadata",
      tag,
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
      tag,
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
