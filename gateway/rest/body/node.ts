import { z } from "zod";
import { type BodyOf, count } from "../../../catapult/values/scalars.js";

const NodeStatusEnum = z.enum(["up", "down"]).meta({ id: "NodeStatusEnum" });

export const NodeHealthInfoDTO = z
  .object({
    status: z.object({ apiNode: NodeStatusEnum, db: NodeStatusEnum }).meta({ id: "NodeHealthDTO" }),
  })
  .meta({ id: "NodeHealthInfoDTO", description: "Whether the node and the database are reachable." });

export type NodeHealthBody = BodyOf<typeof NodeHealthInfoDTO>;

export const StorageInfoDTO = z
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

export type StorageInfoBody = BodyOf<typeof StorageInfoDTO>;

export const ServerInfoDTO = z
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

export type ServerInfoBody = BodyOf<typeof ServerInfoDTO>;

export const NodeMetadataDTO = z
  .looseObject({})
  .meta({ id: "NodeMetadataDTO", description: "Metadata of the node, set by the operator." });
