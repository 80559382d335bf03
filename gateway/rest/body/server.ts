import { z } from "zod";
import { type BodyOf, count, HeightOrZero } from "../../../catapult/values/scalars.js";
import { type StatusMember, statusMembers } from "../../../schema/services/index-status.js";

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

function readinessOf({ type, ready, description }: StatusMember): z.ZodType {
  const isHeight = ready === "height";
  if (type === "SafeInt") return isHeight ? HeightOrZero : count.describe(description);
  const value = isHeight ? heightText : type === "SafeInt?" ? count : z.string();
  return value.nullable().describe(description);
}

export const ReadinessDTO = z
  .object(
    Object.fromEntries(
      statusMembers.flatMap((member) => (member.ready ? [[member.name, readinessOf(member)] as const] : [])),
    ),
  )
  .meta({ id: "ReadinessDTO", description: "Lag of the index behind the node." });

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
