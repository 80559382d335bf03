import { type ErrorCode, errorCodes } from "../schema/errors.js";
import type { Argument } from "./routes/argument.js";
import type { JsonSchema } from "./routes/argument-types.js";
import type { Route } from "./routes/route.js";

const components = {
  schemas: {
    Error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string", enum: Object.keys(errorCodes) }, message: { type: "string" } },
    },
    Pagination: {
      type: "object",
      required: ["pageNumber", "pageSize", "totalEntries", "totalPages"],
      properties: {
        pageNumber: { type: "integer", minimum: 1 },
        pageSize: { type: "integer" },
        totalEntries: { type: "integer", description: "Entries of the whole list." },
        totalPages: { type: "integer" },
      },
    },
  },
};

/** The description of the routes in OpenAPI 3.0. */
export function describeRoutes(routes: readonly Route[], version: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  const info = {
    title: "symbol-gateway",
    version,
    description: "A Symbol (catapult) chain over REST. WebSocket: /ws. Errors are `{code, message}`.",
  };
  return { openapi: "3.0.3", info, paths, components };
}

function describeRoute(route: Route): JsonSchema {
  const given = Object.entries(route.arguments);
  const parameters = given.filter(([, { place }]) => place !== "body").map(describeParameter);
  const members = given.filter(([, { place }]) => place === "body");
  const { operationId, summary, tag, result, success: status = 200, mediaType = "application/json" } = route;
  const success = { description: summary, content: { [mediaType]: { schema: result } } };
  return {
    operationId,
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(members.length > 0 && { requestBody: describeBody(members) }),
    responses: { [status]: success, ...Object.fromEntries(errorsOf(route).map(describeError)) },
  };
}

function describeParameter([name, argument]: [string, Argument<unknown>]): JsonSchema {
  const { place, required, description } = argument;
  return { name, in: place, required, description, schema: argumentSchema(argument) };
}

function describeBody(members: readonly [string, Argument<unknown>][]): JsonSchema {
  const properties = members.map(([name, argument]) => [
    name,
    { ...argumentSchema(argument), description: argument.description },
  ]);
  const required = members.filter(([, argument]) => argument.required).map(([name]) => name);
  const schema = { type: "object", required, properties: Object.fromEntries(properties) };
  return { required: true, content: { "application/json": { schema } } };
}

function argumentSchema({ list, type, maxItems }: Argument<unknown>): JsonSchema {
  return list ? { type: "array", maxItems, items: type.schema } : type.schema;
}

function errorsOf(route: Route): ErrorCode[] {
  const places = Object.values(route.arguments).map(({ place }) => place);
  const codes: ErrorCode[] = [];
  if (places.length > 0) codes.push("InvalidContent", "InvalidArgument");
  if (places.includes("body")) codes.push("PayloadTooLarge", "UnsupportedMediaType");
  if (route.canMiss) codes.push("ResourceNotFound");
  if ("operation" in route.work) codes.push("ServiceUnavailable");
  return codes;
}

function describeError(code: ErrorCode): [number, JsonSchema] {
  const { status, meaning } = errorCodes[code];
  const schema = { $ref: "#/components/schemas/Error" };
  return [status, { description: `${code}: ${meaning}`, content: { "application/json": { schema } } }];
}
