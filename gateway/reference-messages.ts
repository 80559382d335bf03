import { ApiError } from "../schema/errors.js";
import type { RawArguments } from "./read-arguments.js";
import type { Arguments } from "./routes/argument.js";

/*
 * How catapult-rest 2.5.0 words its errors. Source: `client/rest/src/routes` and `client/rest/src/server` of symbol/symbol.
 */

/** An error about an argument as catapult-rest reports it; any other error as it is. */
export function toReferenceError(error: unknown, args: Arguments, raw: RawArguments): unknown {
  if (!(error instanceof ApiError) || error.argument === undefined) return error;
  const name = error.argument.replace(/\[\d+\]$/, "");
  const argument = args[name];
  if (!argument) return error;
  const { referenceMessage = hasInvalidFormat } = argument.type;
  const message = argument.list
    ? `element in array ${name} has an invalid format`
    : referenceMessage(name, textOf(name, raw));
  return new ApiError("InvalidArgument", message, { cause: error });
}

const hasInvalidFormat = (name: string) => `${name} has an invalid format`;

function textOf(name: string, { path, query }: RawArguments): string {
  return path[name] ?? new URLSearchParams(query).getAll(name).join();
}

/** A group of transactions or statements that does not exist: catapult-rest has a route for any word there. */
const UNKNOWN_GROUP = /^\/transactions\/[^/]+(\/[^/]+)?$|^\/statements\/resolutions\/[^/]+$/;

/** There is no such path. */
export function referenceUnknownPath(path: string): ApiError {
  return UNKNOWN_GROUP.test(path)
    ? new ApiError("NotFound", "")
    : new ApiError("ResourceNotFound", `${path} does not exist`);
}

/** The path exists, but not with this method; the content type of a request without one is that of any bytes. */
export function referenceMethodNotAllowed(method: string, contentType = "application/octet-stream"): ApiError {
  const mediaType = mediaTypeOf(contentType);
  return method !== "GET" && method !== "HEAD" && mediaType !== "application/json"
    ? new ApiError("UnsupportedMediaType", mediaType)
    : new ApiError("MethodNotAllowed", `${method} is not allowed`);
}

/** The body is not JSON. */
export function referenceMediaType(contentType = "application/octet-stream"): ApiError {
  return new ApiError("UnsupportedMediaType", mediaTypeOf(contentType));
}

function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}
