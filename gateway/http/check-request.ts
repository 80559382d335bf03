import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { ApiError, invalidContent } from "../../schema/services/errors.js";

/** Valid values of `Expect`, as matched by Node. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
/** Characters that `new URL` would parse as something other than host and port. */
const NO_AUTHORITY = /[\s/?#@\\]/;

/** Maximum number of valid values of `Host` that are remembered, and their maximum length. */
const MAX_HOSTS = 100;
const MAX_HOST_LENGTH = 255;

const validHosts = new Set<string>();

/**
 * Rejects what HTTP itself does not allow, before anything else processes it: an invalid Host header, none at all in
 * HTTP/1.1, and unsupported expectations. Answers `OPTIONS *`, which is about the whole server.
 */
export const checkRequest: RequestHandler = (request, response, next) => {
  checkHeaders(request);
  const { url, method } = request;
  if (url !== "*") return next();
  if (method !== "OPTIONS") throw invalidContent("the request target", "a path");
  response.setHeader("Allow", "GET, HEAD, POST, PUT, OPTIONS");
  response.statusCode = 204;
  response.end();
};

/** @throws ApiError for a Host header that is invalid, or missing in HTTP/1.1, and for unsupported expectations */
export function checkHeaders({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined ? httpVersion === "1.1" : !isAuthority(headers.host)) {
    throw invalidContent("the header Host", "a host name or address, optionally with a port");
  }
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect)) {
    throw new ApiError("ExpectationFailed", "the header Expect may be 100-continue only");
  }
}

function isAuthority(host: string): boolean {
  if (validHosts.has(host)) return true;
  const isValid = !NO_AUTHORITY.test(host) && URL.canParse(`http://${host}`);
  if (isValid && validHosts.size < MAX_HOSTS && host.length <= MAX_HOST_LENGTH) validHosts.add(host);
  return isValid;
}
