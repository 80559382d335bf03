import type { Request } from "express";
import { ApiError, invalidArgument, invalidContent } from "../../schema/services/errors.js";

/** One operation of a request, in the parts that the protocol of GraphQL over HTTP has. */
export interface Question {
  /** Behind the path: empty, or a question mark and parameters. */
  readonly search: string;
  /** JSON; undefined for GET. */
  readonly body: string | undefined;
}

/**
 * Reads the operation of a GET or POST; checks what the library behind would answer in forms of its own.
 * @throws ApiError InvalidContent or InvalidArgument naming the part that is wrong
 */
export function readQuestion({ method, url, body }: Request): Question {
  if (method === "POST") {
    requireOneOperation(body);
    return { search: "", body: JSON.stringify(body) };
  }
  const mark = url.indexOf("?");
  const search = mark < 0 ? "" : url.slice(mark);
  const parameters = new URLSearchParams(search);
  if (!parameters.get("query")) throw invalidArgument("query is missing: the text of a GraphQL document");
  for (const name of ["variables", "extensions"]) requireObject(name, parameters.get(name));
  return { search, body: undefined };
}

/** The error for a client that accepts none of the types in which the answer can be sent. */
export function notAcceptable(): ApiError {
  const types = "application/json or application/graphql-response+json, for subscriptions text/event-stream";
  return new ApiError("NotAcceptable", `the header Accept must name ${types}`);
}

function requireOneOperation(body: unknown): void {
  if (Array.isArray(body)) throw invalidArgument("a request holds one operation: send the others by themselves");
  if (typeof body !== "object" || body === null || !("query" in body) || typeof body.query !== "string") {
    throw invalidContent("query", "the text of a GraphQL document");
  }
}

function requireObject(name: string, text: string | null): void {
  if (!text) return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (value === undefined || Array.isArray(value) || (value !== null && typeof value !== "object")) {
    throw invalidContent(name, "a JSON object");
  }
}
