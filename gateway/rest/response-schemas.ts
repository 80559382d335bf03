import { z } from "zod";
import type { JsonSchema } from "./route/argument-types.js";

/** What zod writes for integers without a bound of their own. */
const UNBOUNDED: Readonly<Record<string, number>> = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

/** Schemas of OpenAPI 3.0, or of JSON Schema for AsyncAPI. */
export interface ResponseSchemas {
  /** By the keys of the bodies. */
  readonly byKey: Readonly<Record<string, JsonSchema>>;
  /** `components.schemas`: what has an id, by it. */
  readonly components: Readonly<Record<string, JsonSchema>>;
}

/**
 * Schemas of bodies for OpenAPI or AsyncAPI: what has an id becomes a component, all else is written out.
 * @throws Error when two of the bodies, or of what is in them, have one id
 */
export function responseSchemas(
  bodies: Readonly<Record<string, z.ZodType>>,
  target: "openapi-3.0" | "draft-7" = "openapi-3.0",
): ResponseSchemas {
  const { properties, definitions } = z.toJSONSchema(z.object(bodies), { target, io: "input" });
  return {
    byKey: tidy(properties) as Record<string, JsonSchema>,
    components: tidy(definitions) as Record<string, JsonSchema>,
  };
}

/** As people would write it: references to components, integers as such, no bounds that say nothing. */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, one]) => {
    if (UNBOUNDED[key] === one) return [];
    if (key === "$ref") return [[key, String(one).replace("#/definitions/", "#/components/schemas/")]];
    if (key === "type" && one === "number" && "enum" in value) return [[key, "integer"]];
    return [[key, tidy(one)]];
  });
  return Object.fromEntries(entries);
}
