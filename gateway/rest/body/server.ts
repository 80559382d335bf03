import { z } from "zod";
import { type BodyOf, count, HeightOrZero } from "../../../catapult/values/scalars.js";

const path = z.string().describe("Path on this server.");

export const InterfacesDTO = z
  .object({
    name: z.string(),
    version: z.string(),
    rest: z.object({ docs: path, openapi: path }),
    messages: z.object({ asyncapi: path }),
    webSocket: path,
    events: path,
    health: path,
    graphql: path.optional(),
    explorer: path.optional(),
    ready: path.optional(),
    metrics: path.optional(),
  })
  .meta({ id: "InterfacesDTO", description: "The interfaces of this server." });

export type InterfacesBody = BodyOf<typeof InterfacesDTO>;

const heightText = z.string().regex(/^(0|[1-9][0-9]*)$/);
const WITHOUT_NODE = "null if the node is unreachable.";

export const ReadinessDTO = z
  .object({
    height: HeightOrZero,
    finalizedHeight: HeightOrZero,
    nodeHeight: heightText.nullable().describe(`Height of the node's chain; ${WITHOUT_NODE}`),
    blocksBehind: count.nullable().describe(`Number of blocks that the index lacks; ${WITHOUT_NODE}`),
    secondsBehind: count
      .nullable()
      .describe(`Age of the newest block while the index lacks blocks, otherwise 0; ${WITHOUT_NODE}`),
    unknownEntities: count.describe("Entities of types or versions unknown to the indexer."),
    overruledChecks: count.describe(
      "Checks of the indexer that rejected blocks which votes prove: the blocks are served; update the program.",
    ),
    newestOverruledCheck: z
      .string()
      .nullable()
      .describe("The newest of them: its block, its rule and its transaction; null if there is none."),
    stateDiffersSince: count
      .nullable()
      .describe("Height since which the computed state differs from that of the network; null while it does not."),
    unprovenFinalization: z
      .string()
      .nullable()
      .describe(
        "Why no further block becomes final: the finalization proofs of all nodes are invalid by the voters that the indexer computes; null while they are valid.",
      ),
  })
  .meta({ id: "ReadinessDTO", description: "Lag of the index behind the node." });

export type ReadinessBody = BodyOf<typeof ReadinessDTO>;

export const OpenApiDocument = z
  .looseObject({
    openapi: z.string(),
    info: z.looseObject({}),
    paths: z.looseObject({}),
    components: z.looseObject({}),
  })
  .meta({ id: "OpenApiDocument", description: "A document of OpenAPI 3.0." });

export const AsyncApiDocument = z
  .looseObject({
    asyncapi: z.string(),
    info: z.looseObject({}),
    channels: z.looseObject({}),
    operations: z.looseObject({}),
    components: z.looseObject({}),
  })
  .meta({ id: "AsyncApiDocument", description: "A document of AsyncAPI 3.0." });

/** Text of another media type than JSON. */
export const Text = z.string();

/** Bytes of any media type. */
export const Bytes = z.string().meta({ format: "binary" });
