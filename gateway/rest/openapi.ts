import { type ErrorCode, errorCodes } from "../../schema/services/errors.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import type { Argument } from "./routes/argument.js";
import { type JsonSchema, schemaOf } from "./routes/argument-types.js";
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

/** The description of the routes in OpenAPI 3.0, for a mode. */
export function describeRoutes(routes: readonly Route[], version: string, behaviour: Behaviour): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route, behaviour) };
  }
  const info = {
    title: "symbol-gateway",
    version,
    description: "A Symbol (catapult) chain over REST. WebSocket: /ws. Errors are `{code, message}`.",
  };
  return { openapi: "3.0.3", info, paths, components };
}

function describeRoute(route: Route, behaviour: Behaviour): JsonSchema {
  const given = Object.entries(route.arguments);
  const parameters = given
    .filter(([, { place }]) => place !== "body")
    .map(([name, argument]) => describeParameter(name, argument, behaviour));
  const members = given.filter(([, { place }]) => place === "body");
  const { operationId, summary, tag, result, success: status = 200, mediaType = "application/json" } = route;
  const success = { description: summary, content: { [mediaType]: { schema: result } } };
  return {
    operationId,
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(members.length > 0 && { requestBody: describeBody(members, behaviour) }),
    responses: { [status]: success, ...describeErrors(errorsOf(route, behaviour)) },
  };
}

function describeParameter(name: string, argument: Argument<unknown>, behaviour: Behaviour): JsonSchema {
  const { place, required, description } = argument;
  return { name, in: place, required, description, schema: argumentSchema(argument, behaviour) };
}

function describeBody(members: readonly [string, Argument<unknown>][], behaviour: Behaviour): JsonSchema {
  const properties = members.map(([name, argument]) => [
    name,
    { ...argumentSchema(argument, behaviour), description: argument.description },
  ]);
  const required = members.filter(([, argument]) => argument.required).map(([name]) => name);
  const schema = {
    type: "object",
    // OpenAPI does not allow an empty list here.
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(properties),
  };
  return { required: true, content: { "application/json": { schema } } };
}

function argumentSchema({ list, type, maxItems }: Argument<unknown>, behaviour: Behaviour): JsonSchema {
  const schema = schemaOf(type, behaviour);
  return list ? { type: "array", maxItems, items: schema } : schema;
}

/** The error responses of a route. */
function errorsOf({ arguments: args, canMiss, work }: Route, { usesReferenceMessages }: Behaviour): ErrorCode[] {
  const places = Object.values(args).map(({ place }) => place);
  const codes: ErrorCode[] = ["InternalServiceError", "RequestHeaderFieldsTooLarge", "TooManyRequests"];
  if (places.length > 0) codes.push("InvalidContent", "InvalidArgument");
  if (places.includes("body")) codes.push("PayloadTooLarge", "UnsupportedMediaType", "RequestTimeout");
  if (canMiss) codes.push("ResourceNotFound");
  if (canMiss && usesReferenceMessages) codes.push("NotFound");
  if ("operation" in work) codes.push("ServiceUnavailable");
  return codes;
}

/** Responses by status; codes of one status share a description. */
function describeErrors(codes: readonly ErrorCode[]): JsonSchema {
  const schema = { $ref: "#/components/schemas/Error" };
  const responses: Record<number, { description: string; content: JsonSchema }> = {};
  for (const code of codes) {
    const { status, meaning } = errorCodes[code];
    const others = responses[status] ? `${responses[status].description} ` : "";
    const description = `${others}${code}: ${meaning}`;
    responses[status] = { description, content: { "application/json": { schema } } };
  }
  return responses;
}
