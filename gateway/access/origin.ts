import type { IncomingMessage } from "node:http";
import { normalizeAddress } from "../clients/addresses.js";

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/;
const LOCAL_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** A proxy on this machine makes every client look local, but most proxies name their client in one of these. */
const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "cf-connecting-ip",
  "true-client-ip",
];
/** Only used by proxies. */
const PROXY_HTTP_VERSION = "1.0";

/**
 * Whether a request seems to come from this machine. A page of another site in a local browser does not: its Host
 * header has another name. A proxy that adds no header cannot be recognized, so this is for development only.
 */
export function isLocal({ socket, headers, httpVersion }: IncomingMessage): boolean {
  return (
    httpVersion !== PROXY_HTTP_VERSION &&
    LOOPBACK.test(normalizeAddress(socket.remoteAddress ?? "")) &&
    LOCAL_NAME.test(hostname(headers.host)) &&
    FORWARDING_HEADERS.every((name) => headers[name] === undefined)
  );
}

/**
 * Whether a browser sent this request for a page of another origin. Other clients do not send these headers. A
 * browser sends `Sec-Fetch-Site`, which pages and proxies cannot change, or else the page's `Origin`.
 */
export function isFromOtherOrigin({ headers }: IncomingMessage): boolean {
  const { "sec-fetch-site": site, origin, host } = headers;
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  return origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Whether the client uses TLS, to us or to a proxy in front of us. */
export function isOverTls({ socket, headers }: IncomingMessage): boolean {
  return "encrypted" in socket || headers["x-forwarded-proto"] === "https";
}

function hostname(host: string | undefined): string {
  const url = `http://${host ?? ""}`;
  return URL.canParse(url) ? new URL(url).hostname : "";
}
