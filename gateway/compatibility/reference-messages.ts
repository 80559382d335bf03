import { ApiError } from "../../schema/services/errors.js";

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
