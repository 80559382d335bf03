import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError, invalidContent } from "../../schema/services/errors.js";

const DAY_SECONDS = 86_400;
const EXPOSED = "Content-Disposition, Content-MetalText, ETag, Retry-After, X-Request-Id";

/**
 * Allows pages of every origin to use the interface: its data is public, and cookies are not used. All responses have
 * these headers: a cache in between may serve one to another page.
 */
export function allowOrigins(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("Access-Control-Allow-Origin", "*");
  response.setHeader("Access-Control-Expose-Headers", EXPOSED);
  if (request.method === "OPTIONS") {
    response.setHeader("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, OPTIONS");
    response.setHeader("Access-Control-Allow-Headers", "Content-Type, If-None-Match, Last-Event-ID");
    response.setHeader("Access-Control-Max-Age", DAY_SECONDS);
  }
}

/** Takes this back: only pages of this server may read the response. */
export function withholdOrigins(response: ServerResponse): void {
  for (const name of response.getHeaderNames()) {
    if (name.startsWith("access-control-")) response.removeHeader(name);
  }
}

/** No external resources, nothing inline except styles that scripts set, and no framing by other pages. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src data:",
  "connect-src 'self' ws: wss:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Headers of a page whose scripts are files of this server. */
export const PAGE_HEADERS = {
  "Content-Security-Policy": CONTENT_SECURITY_POLICY,
  "Cache-Control": "no-cache",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
};

/** Valid values of `Expect`, as matched by Node. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
/** Characters that `new URL` would parse as something other than host and port. */
const NO_AUTHORITY = /[\s/?#@\\]/;

/** Maximum number of valid values of `Host` that are remembered, and their maximum length. */
const MAX_HOSTS = 100;
const MAX_HOST_LENGTH = 255;

const validHosts = new Set<string>();

/**
 * Rejects what HTTP itself does not allow.
 * @throws ApiError for a Host header that is invalid, or missing in HTTP/1.1, and for unsupported expectations
 */
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
