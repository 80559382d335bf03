import type { IncomingMessage } from "node:http";
import { ApiError, invalidContent } from "../../schema/errors/errors.js";

/** Of a path with its query, in characters: what is longer costs more than its answer is worth. */
const MAX_URL = 2_048;
const ABSOLUTE = /^https?:\/\/([^/]*)/i;
/** Escapes of characters that need none: the same path with and without them. */
const NEEDLESS_ESCAPE = /%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi;
/** Characters that a URL would parse as something other than host and port. */
const NO_AUTHORITY = /[\s/?#@\\]/;

/**
 * Brings the target of a request into the form that most clients use: without a host, which HTTP allows there too and
 * which counts then, without slashes before the first one, as base URLs that end in one cause, and without needless
 * escapes.
 */
export function normalizeTarget(request: IncomingMessage): void {
  const { url = "/" } = request;
  const isUsual = url.startsWith("/") && !url.startsWith("//") && !url.includes("%");
  if (isUsual || url.length > MAX_URL) return;
  const mark = url.indexOf("?");
  const end = mark < 0 ? url.length : mark;
  let path = url.slice(0, end);
  const [start, host] = ABSOLUTE.exec(path) ?? [];
  if (start !== undefined) {
    request.headers.host = host;
    path = path.slice(start.length) || "/";
  }
  const unescaped = path.replace(NEEDLESS_ESCAPE, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  request.url = unescaped.replace(/^\/+/, "/") + url.slice(end);
}

/** The error for a URL that is too long, and for a host that is invalid, given twice, or missing in HTTP/1.1. */
export function invalidTarget({ headers, httpVersion, rawHeaders, url = "" }: IncomingMessage): ApiError | undefined {
  if (url.length > MAX_URL) {
    return new ApiError("UriTooLong", `the URL has ${url.length} characters, the limit is ${MAX_URL}`);
  }
  const { host } = headers;
  const isValid = host === undefined ? httpVersion !== "1.1" : isAuthority(host) && countOf("host", rawHeaders) <= 1;
  return isValid
    ? undefined
    : invalidContent("the header Host", "a host name or address, optionally with a port, once");
}

function isAuthority(host: string): boolean {
  return !NO_AUTHORITY.test(host) && URL.canParse(`http://${host}`);
}

/** How often a header was sent: Node keeps the first of some of them. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index] as string;
    if (given.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
