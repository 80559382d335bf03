import { ApiError } from "../../schema/errors/errors.js";

/** An unknown group of transactions or statements: catapult-rest has a route for any word there. */
const UNKNOWN_GROUP = /^\/transactions\/[^/]+(\/[^/]+)?$|^\/statements\/resolutions\/[^/]+$/;

/** The path does not exist. */
export function referenceUnknownPath(path: string): ApiError {
  return UNKNOWN_GROUP.test(path)
    ? new ApiError("NotFound", "")
    : new ApiError("ResourceNotFound", `${path} does not exist`);
}

/** The path exists, but not with this method; the default content type of a request is that of arbitrary bytes. */
export function referenceMethodNotAllowed(method: string, contentType = "application/octet-stream"): ApiError {
  const mediaType = parseMediaType(contentType);
  return method !== "GET" && method !== "HEAD" && mediaType !== "application/json"
    ? new ApiError("UnsupportedMediaType", mediaType)
    : new ApiError("MethodNotAllowed", `${method} is not allowed`);
}

/** The body is not JSON. */
export function referenceMediaType(contentType = "application/octet-stream"): ApiError {
  return new ApiError("UnsupportedMediaType", parseMediaType(contentType));
}

function parseMediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}
