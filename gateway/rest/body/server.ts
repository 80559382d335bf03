import { z } from "zod";
import { type BodyOf, count, HeightOrZero } from "../../../catapult/body/scalars.js";

const path = z.string().describe("Path on this server.");

export const InterfacesDTO = z
  .object({
    name: z.string(),
    version: z.string(),
    rest: z.object({ docs: path, openapi: path }),
    webSocket: path,
    health: path,
    graphql: path.optional(),
    dashboard: path.optional(),
    ready: path.optional(),
    metrics: path.optional(),
  })
  .meta({ id: "InterfacesDTO", description: "The interfaces of this server." });

export type InterfacesBody = BodyOf<typeof InterfacesDTO>;

const heightText = z.string().regex(/^(0|[1-9][0-9]*)$/);
const WITHOUT_NODE = "null when the node cannot be reached.";

export const ReadinessDTO = z
  .object({
    height: HeightOrZero,
    finalizedHeight: HeightOrZero,
    stateHeight: heightText.nullable().describe("Height of the state; null until all of it was read once."),
    nodeHeight: heightText.nullable().describe(`Height of the node's chain; ${WITHOUT_NODE}`),
    blocksBehind: count.nullable().describe(`Blocks that the index is behind the node; ${WITHOUT_NODE}`),
    secondsBehind: count
      .nullable()
      .describe(`Age of the newest block while the index is behind the node, otherwise 0; ${WITHOUT_NODE}`),
    unknownEntities: count.describe("Entities and state entries of types or versions that the indexer did not know."),
    stateSource: z
      .enum(["execute", "node"])
      .describe("Where the state comes from: computed from the blocks and verified, or read from a node."),
  })
  .meta({ id: "ReadinessDTO", description: "How far behind the node the index is." });

export type ReadinessBody = BodyOf<typeof ReadinessDTO>;

export const OpenApiDocument = z
  .looseObject({
    openapi: z.string(),
    info: z.looseObject({}),
    paths: z.looseObject({}),
    components: z.looseObject({}),
  })
  .meta({ id: "OpenApiDocument", description: "A document of OpenAPI 3.0." });

/** Text of another media type than JSON. */
export const Text = z.string();

/** Bytes of any media type. */
export const Bytes = z.string().meta({ format: "binary" });
