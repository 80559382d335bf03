import { z } from "zod";
import type { JsonSchema } from "./route/argument-types.js";

/** What zod writes for integers without a bound of their own. */
const UNBOUNDED: Readonly<Record<string, number>> = {
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};

const MAX_INT32 = 2 ** 31 - 1;

/** Schemas of OpenAPI 3.0, or of JSON Schema for AsyncAPI. */
export interface ResponseSchemas {
  /** The schemas of the bodies by their keys. */
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
  const components = tidy(definitions ?? {}) as Record<string, JsonSchema>;
  return {
    byKey: mapValues(tidy(properties) as Record<string, JsonSchema>, (schema) => describeMembers(schema, components)),
    components: mapValues(components, (schema) => describeMembers(schema, components)),
  };
}

const COMPONENT = "#/components/schemas/";

/** Describes each member that has no description of its own as the component that it is. */
function describeMembers<Value>(schema: Value, components: Readonly<Record<string, JsonSchema>>): Value {
  if (Array.isArray(schema)) return schema.map((one) => describeMembers(one, components)) as Value;
  if (typeof schema !== "object" || schema === null) return schema;
  const inside = mapValues(schema as JsonSchema, (one) => describeMembers(one, components));
  if (!("properties" in inside)) return inside as Value;
  const members = mapValues(inside.properties as Readonly<Record<string, JsonSchema>>, (member) => {
    if (!("$ref" in member)) return member;
    const description = member.description ?? components[String(member.$ref).slice(COMPONENT.length)]?.description;
    // What is beside a reference does not count.
    return { description, allOf: [{ $ref: member.$ref }] };
  });
  return { ...inside, properties: members } as Value;
}

function mapValues<From, To>(
  object: Readonly<Record<string, From>>,
  map: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}

/**
 * As people would write it: references to components, integers as such, no bounds that say nothing. Those above 32 bits
 * with a sign are marked: generated clients of typed languages would cut them.
 */
function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== "object" || value === null) return value;
  const isLong = "type" in value && value.type === "integer" && "maximum" in value && Number(value.maximum) > MAX_INT32;
  const entries = Object.entries(value).flatMap(([key, one]) => {
    if (UNBOUNDED[key] === one) return [];
    if (key === "$ref") return [[key, String(one).replace("#/definitions/", COMPONENT)]];
    if (key === "type" && one === "number" && "enum" in value) return [[key, "integer"]];
    return [[key, tidy(one)]];
  });
  return Object.fromEntries(isLong ? [...entries, ["format", "int64"]] : entries);
}
