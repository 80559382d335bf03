import { type ZodType, z } from "zod";
import { type ErrorCode, errorCodes } from "../../schema/errors/errors.js";
import type { Behaviour } from "../compatibility/compatibility.js";
import recordedExamples from "./examples.json" with { type: "json" };
import { operationDescriptions } from "./operation-descriptions.js";
import { isIn } from "./read-arguments.js";
import { type ResponseSchemas, responseSchemas } from "./response-schemas.js";
import type { Argument } from "./route/argument.js";
import { type JsonSchema, schemaOf } from "./route/argument-types.js";
import type { Route } from "./route/route.js";

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

const ModelError = z
  .object({
    code: z.enum(codes).describe("Error code; each code has one HTTP status."),
    message: z.string().describe("What is wrong and what is valid, for people."),
  })
  .meta({ id: "ModelError", description: "The body of every error." });

/** A request of an operation on the chain in `test/data`, and its answer. */
export interface Example {
  /** Values of parameters by name. */
  readonly parameters?: Readonly<Record<string, string | number | readonly (string | number)[]>>;
  /** The JSON body of the request. */
  readonly body?: unknown;
  readonly answer: unknown;
}

/**
 * The examples by operation id. `test/end-to-end/openapi-examples.test.ts` sends the requests and compares the answers.
 */
export const examples: Readonly<Record<string, Example>> = recordedExamples;

/** The description of the routes in OpenAPI 3.0, for a mode. */
export function describeRoutes(routes: readonly Route[], version: string, behaviour: Behaviour): JsonSchema {
  const { byKey, components } = responseSchemas({
    ...Object.fromEntries(routes.flatMap(bodiesOf)),
    [ERROR]: ModelError,
  });
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const described = describeRoute(route, byKey, behaviour);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described };
  }
  const info = {
    title: "symbol-gateway",
    version,
    description:
      "A Symbol (catapult) chain over REST. Messages: /ws and /events, see /asyncapi.json. Errors are `{code, message}`.",
    license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
  };
  const tags = [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name }));
  return {
    openapi: "3.0.3",
    info,
    // Relative to this document, so that it is right below a prefix.
    servers: [{ url: "." }],
    security: [],
    tags,
    paths,
    components: { schemas: components },
  };
}

const ERROR = "error";
const unavailableKey = ({ operationId }: Route) => `${operationId} 503`;

/** The bodies of a route's own, by their keys. */
function bodiesOf(route: Route): [string, ZodType][] {
  const { operationId, result, unavailable } = route;
  return [[operationId, result], ...(unavailable ? [[unavailableKey(route), unavailable] as [string, ZodType]] : [])];
}

type Bodies = ResponseSchemas["byKey"];

function describeRoute(route: Route, bodies: Bodies, behaviour: Behaviour): JsonSchema {
  const example = examples[route.operationId];
  const given = Object.entries(route.arguments).filter(([, argument]) => isIn(behaviour, argument));
  const parameters = given
    .filter(([, { location }]) => location !== "body")
    .map(([name, argument]) => describeParameter(name, argument, behaviour, example?.parameters?.[name]));
  const members = given.filter(([, { location }]) => location === "body");
  const { operationId, summary, tag, success: status = 200, mediaType = "application/json" } = route;
  const answer = { schema: bodies[operationId], ...(example && { example: example.answer }) };
  const success = { description: summary, content: { [mediaType]: answer } };
  return {
    operationId,
    summary,
    description: [operationDescriptions[operationId], route.description].filter(Boolean).join(" "),
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(members.length > 0 && { requestBody: describeBody(members, behaviour, example?.body) }),
    responses: { [status]: success, ...describeErrors(route, bodies, behaviour) },
  };
}

function describeParameter(
  name: string,
  argument: Argument<unknown>,
  behaviour: Behaviour,
  example: unknown,
): JsonSchema {
  const { location, required, description } = argument;
  const schema = argumentSchema(argument, behaviour);
  return { name, in: location, required, description, schema, ...(example !== undefined && { example }) };
}

function describeBody(
  members: readonly [string, Argument<unknown>][],
  behaviour: Behaviour,
  example: unknown,
): JsonSchema {
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
  return { required: true, content: { "application/json": { schema, ...(example !== undefined && { example }) } } };
}

function argumentSchema({ list, type, maxItems }: Argument<unknown>, behaviour: Behaviour): JsonSchema {
  const schema = schemaOf(type, behaviour);
  return list ? { type: "array", maxItems, items: schema } : schema;
}

/** The error responses of a route. */
function listErrors({ arguments: args, canMiss, work }: Route, { usesReferenceMessages }: Behaviour): ErrorCode[] {
  const locations = Object.values(args).map(({ location }) => location);
  const codes: ErrorCode[] = ["InternalServiceError", "RequestHeaderFieldsTooLarge", "TooManyRequests"];
  if (locations.length > 0) codes.push("InvalidContent", "InvalidArgument");
  if (locations.includes("body")) codes.push("PayloadTooLarge", "UnsupportedMediaType", "RequestTimeout");
  if (canMiss) codes.push("ResourceNotFound");
  if (canMiss && usesReferenceMessages) codes.push("NotFound");
  if (!("serve" in work)) codes.push("ServiceUnavailable");
  return codes;
}

/** Responses by status; codes of one status share a description. */
function describeErrors(route: Route, bodies: Bodies, behaviour: Behaviour): JsonSchema {
  const error = bodies[ERROR];
  const unavailable = bodies[unavailableKey(route)];
  const responses: Record<number, { description: string; content: JsonSchema }> = {};
  for (const code of listErrors(route, behaviour)) {
    const { status, description: text } = errorCodes[code];
    const others = responses[status] ? `${responses[status].description} ` : "";
    const description = `${others}${code}: ${text}`;
    const isOwn = unavailable && code === "ServiceUnavailable";
    const schema = isOwn ? { anyOf: [unavailable, error] } : error;
    responses[status] = { description, content: { "application/json": { schema } } };
  }
  return responses;
}
