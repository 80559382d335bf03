import type { IncomingMessage, ServerResponse } from "node:http";

/** First segments of the paths of which pages of other origins may read nothing. */
const BROWSER_SEGMENTS = new Set(["graphql", "explorer", "sign-in", "sign-out"]);
/** The same of those for operators' programs. */
const OPERATOR_SEGMENTS = new Set(["metrics", "ready"]);

/** What a page for people depends on: it is one or an error, in the browser's language, for who is signed in or which page asks. */
export const VARY_OF_PAGES = "Accept, Accept-Encoding, Accept-Language, Authorization, Cookie, Origin, Sec-Fetch-Site";

/**
 * Allows pages of every origin to use the interface: its data is public, and cookies are not used. All responses have
 * these headers, except those of operators: a cache in between may serve one to another page.
 */
const ALL_ORIGINS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Content-Disposition, Content-MetalText, ETag, Retry-After, X-Request-Id",
};
/** What may be kept says so. */
const NO_STORE = { "Cache-Control": "no-store" };

/** The headers of every response below a first path segment, cached or fresh, unless its handler has others. */
export function selectHeaders(segment: string): Readonly<Record<string, string>> {
  if (BROWSER_SEGMENTS.has(segment)) return { ...NO_STORE, Vary: VARY_OF_PAGES };
  return OPERATOR_SEGMENTS.has(segment) ? NO_STORE : { ...NO_STORE, ...ALL_ORIGINS };
}

/** Whether a browser asks what a page of another origin may send: not counted, and answered without a slot. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

/** Answers a preflight, whatever the path: what is sent then gets an error that the page can read. */
export function sendPreflight(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  response.writeHead(204, headers).end();
}

/** The headers of a response to a preflight: none of the paths of which other pages may read nothing. */
export function selectPreflightHeaders(segment: string): Readonly<Record<string, string>> {
  return BROWSER_SEGMENTS.has(segment) || OPERATOR_SEGMENTS.has(segment) ? {} : PREFLIGHT;
}

const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, OPTIONS",
  // Headers that browsers' libraries add are named too: older browsers do not know the asterisk.
  "Access-Control-Allow-Headers":
    "Accept, Authorization, Cache-Control, Content-Type, If-None-Match, Last-Event-ID, Pragma, traceparent, tracestate, X-Requested-With, *",
  "Access-Control-Max-Age": "86400",
};

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
