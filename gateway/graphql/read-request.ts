import type { Request } from "express";
import { ApiError, invalidArgument, invalidContent } from "../../schema/errors/errors.js";
import { optional } from "../../schema/graph/arguments.js";
import { requireShallow } from "../http/json-body.js";

/** One operation of a request, in the parts of the GraphQL-over-HTTP protocol. */
export interface GraphqlRequest {
  /** After the path: empty, or a question mark and parameters. */
  readonly search: string;
  readonly operation: RequestedOperation;
}

/** What a request asks for. */
export interface RequestedOperation {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Reads the operation of a GET or POST; checks what the library would answer in formats of its own.
 * @throws ApiError InvalidContent or InvalidArgument naming the invalid part
 */
export function readGraphqlRequest({ method, url, body }: Request): GraphqlRequest {
  if (method === "POST") {
    requireOneOperation(body);
    const members = Object.entries(body).map(([name, value]) => [name, optional(value)]);
    return { search: "", operation: Object.fromEntries(members) as unknown as RequestedOperation };
  }
  const given = [...parseSearch(url)];
  const parameters = new URLSearchParams(given.filter(([, text]) => optional(text) !== undefined));
  if (!parameters.has("query")) throw invalidArgument("query is missing: the text of a GraphQL document");
  const variables = readObject("variables", parameters.get("variables"));
  readObject("extensions", parameters.get("extensions"));
  const query = parameters.get("query") as string;
  const operationName = parameters.get("operationName") ?? undefined;
  return { search: `?${parameters}`, operation: { query, operationName, variables } };
}

/** Whether a request names its query by a hash alone, hoping that the server knows it. */
export function asksByHash({ method, url, body }: Request): boolean {
  const search = parseSearch(url);
  const given = method === "POST" ? body : { query: search.get("query") };
  if (optional(given?.query) !== undefined) return false;
  const extensions = method === "POST" ? given?.extensions : readObject("extensions", search.get("extensions"));
  return extensions?.persistedQuery != null;
}

function parseSearch(url: string): URLSearchParams {
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark));
}

/** The error for a client that accepts none of the available response types. */
export function notAcceptable(): ApiError {
  const types = "application/json or application/graphql-response+json, for subscriptions text/event-stream";
  return new ApiError("NotAcceptable", `the header Accept must name ${types}`);
}

function requireOneOperation(body: unknown): asserts body is { readonly query: string } {
  if (Array.isArray(body)) throw invalidArgument("a request must contain one operation: send the others separately");
  if (typeof body !== "object" || body === null || !("query" in body) || typeof body.query !== "string") {
    throw invalidContent("query", "the text of a GraphQL document");
  }
}

function readObject(name: string, text: string | null): RequestedOperation["variables"] {
  if (!text) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (value === undefined || Array.isArray(value) || (value !== null && typeof value !== "object")) {
    throw invalidContent(name, "a JSON object");
  }
  requireShallow(name, value);
  return (value ?? undefined) as RequestedOperation["variables"];
}
