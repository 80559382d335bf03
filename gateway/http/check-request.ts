import type { RequestHandler } from "express";
import { ApiError, invalidContent } from "../../schema/services/errors.js";

/** Valid values of `Expect`, as matched by Node. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
/** Characters that `new URL` would parse as something other than host and port. */
const NO_AUTHORITY = /[\s/?#@\\]/;

/**
 * Rejects what HTTP itself does not allow, before anything else processes it: an invalid Host header, none at all in
 * HTTP/1.1, and unsupported expectations. Answers `OPTIONS *`, which is about the whole server.
 */
export const checkRequest: RequestHandler = (request, response, next) => {
  const { headers, httpVersion, url, method } = request;
  if (headers.host === undefined ? httpVersion === "1.1" : !isAuthority(headers.host)) {
    throw invalidContent("the header Host", "a host name or address, optionally with a port");
  }
  if (headers.expect !== undefined && !CONTINUE.test(headers.expect)) {
    throw new ApiError("ExpectationFailed", "the header Expect may be 100-continue only");
  }
  if (url !== "*") return next();
  if (method !== "OPTIONS") throw invalidContent("the request target", "a path");
  response.setHeader("Allow", "GET, HEAD, POST, PUT, OPTIONS");
  response.statusCode = 204;
  response.end();
};

function isAuthority(host: string): boolean {
  return !NO_AUTHORITY.test(host) && URL.canParse(`http://${host}`);
}
