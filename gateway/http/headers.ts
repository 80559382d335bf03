import type { ServerResponse } from "node:http";

/** Only pages of this server may read the response: takes back what the application allows to those of every origin. */
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
  "img-src 'self' data:",
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
