import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ApiError } from "../../schema/errors.js";

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;
/** A proxy on this machine makes everybody look local, but says for whom it asks, or at least that it asks for somebody. */
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
/** What is asked for by nobody but proxies that were told nothing else, nginx for one. */
const PROXY_HTTP_VERSION = "1.0";

/**
 * Whether a request may use `/graphql`: it comes from this machine itself, or carries the token that is set.
 * A page from elsewhere in a local browser is none of both: the name in its Host header is not this machine's.
 */
export function mayUseGraphql(request: IncomingMessage, token: string | undefined): boolean {
  return isLocal(request) || isToken(request.headers.authorization, token);
}

/**
 * Whether a request for a WebSocket may use `/graphql`. Browsers let any page open one to anywhere, and say which page it
 * is: a page from elsewhere needs the token.
 */
export function mayOpenGraphqlSocket(request: IncomingMessage, token: string | undefined): boolean {
  return (isLocal(request) && isOwnPage(request)) || isToken(request.headers.authorization, token);
}

/** Whether a text is `Bearer` and the token that is set. */
export function isToken(text: unknown, token: string | undefined): boolean {
  const match = typeof text === "string" ? /^Bearer (.+)$/i.exec(text) : null;
  // Digests have one length, so the comparison tells nothing by its time.
  return token !== undefined && match?.[1] !== undefined && timingSafeEqual(digest(match[1]), digest(token));
}

/** The answer to whoever may not. */
export function forbidden(token: string | undefined): ApiError {
  const how = token === undefined ? "set GRAPHQL_TOKEN to open it" : "send Authorization: Bearer <token>";
  return new ApiError("Forbidden", `/graphql answers callers on the gateway's own machine only: ${how}`);
}

function isLocal({ socket, headers, httpVersion }: IncomingMessage): boolean {
  return (
    httpVersion !== PROXY_HTTP_VERSION &&
    LOOPBACK.test(socket.remoteAddress ?? "") &&
    LOCAL_HOST.test(headers.host ?? "") &&
    FORWARDING_HEADERS.every((name) => headers[name] === undefined)
  );
}

/** No page at all, or one that this server sent. */
function isOwnPage({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
