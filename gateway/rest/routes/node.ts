import { z } from "zod";
import { NodeInfoDTO, NodeTimeDTO, type UnlockedAccountBody, UnlockedAccountDTO } from "../../../catapult/json/node.js";
import { type BodyOf, count } from "../../../catapult/values/scalars.js";
import { allBodies, type WithBody } from "../route/page.js";
import { type Answer, json, operationRoute, type Route, type RouteDescription, serverRoute } from "../route/route.js";

const NodeStatusEnum = z.enum(["up", "down"]).meta({ id: "NodeStatusEnum" });

const NodeHealthInfoDTO = z
  .object({
    status: z
      .object({
        apiNode: NodeStatusEnum,
        db: NodeStatusEnum,
        index: z
          .enum(["empty", "filling"])
          .optional()
          .describe(
            "Why the index does not serve the whole chain yet; absent if it does, and while the database is down.",
          ),
      })
      .meta({ id: "NodeHealthDTO" }),
  })
  .meta({ id: "NodeHealthInfoDTO", description: "Whether the node and the database are reachable." });

const StorageInfoDTO = z
  .object({
    numBlocks: count,
    numTransactions: count.describe("Transactions, including those embedded in aggregates."),
    numAccounts: count,
    database: z
      .object({
        numIndexes: count,
        numObjects: count.describe("Rows of all tables, as last estimated by PostgreSQL."),
        dataSize: count.describe("Bytes of the tables."),
        indexSize: count.describe("Bytes of the indexes."),
        storageSize: count.describe("Bytes of both."),
      })
      .meta({ id: "DatabaseStorageDTO" }),
  })
  .meta({ id: "StorageInfoDTO", description: "Size of the index." });

const ServerInfoDTO = z
  .object({
    serverInfo: z
      .object({
        restVersion: z.string().describe("Version of this gateway."),
        deployment: z
          .object({ deploymentTool: z.string(), deploymentToolVersion: z.string(), lastUpdatedDate: z.string() })
          .meta({ id: "DeploymentDTO" }),
      })
      .meta({ id: "ServerDTO" }),
  })
  .meta({ id: "ServerInfoDTO" });

const NodeMetadataDTO = z
  .looseObject({})
  .meta({ id: "NodeMetadataDTO", description: "Metadata of the node, set by the operator." });

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

type NodeHealth = BodyOf<typeof NodeHealthInfoDTO>["status"];

interface HealthData extends Pick<NodeHealth, "apiNode" | "db"> {
  readonly index: NonNullable<NodeHealth["index"]> | null;
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
    "{ health { apiNode db index } }",
    ({ health }: { health: HealthData }) => {
      const { apiNode, db, index } = health;
      const isUp = apiNode === "up" && db === "up";
      const status = { apiNode, db, ...(index !== null && { index }) };
      return { ...json<BodyOf<typeof NodeHealthInfoDTO>>({ status }), status: isUp ? 200 : 503 };
    },
  ),
  nodeRoute(
    { path: "/node/info", operationId: "getNodeInfo", summary: "Information about the node.", result: NodeInfoDTO },
    "{ found: nodeInfo { body } }",
    ({ found }: { found: WithBody }) => ({ body: found.body.text }),
  ),
  nodeRoute(
    {
      path: "/node/peers",
      operationId: "getNodePeers",
      summary: "The peers of the node.",
      result: z.array(NodeInfoDTO),
    },
    "{ found: nodePeers { body } }",
    allBodies,
  ),
  nodeRoute(
    {
      path: "/node/time",
      operationId: "getNodeTime",
      summary: "The node's clock, in milliseconds since the network's epoch adjustment.",
      result: NodeTimeDTO,
    },
    "{ found: nodeTime { body } }",
    ({ found }: { found: WithBody }) => ({ body: found.body.text }),
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
      json<BodyOf<typeof StorageInfoDTO>>({
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
      summary: "Version of this gateway, and how it was deployed.",
      result: ServerInfoDTO,
    },
    ({ version, deployment }) =>
      json<BodyOf<typeof ServerInfoDTO>>({ serverInfo: { restVersion: version, deployment } }),
  ),
];
