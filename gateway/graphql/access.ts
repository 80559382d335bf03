import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;
/** A proxy on this machine makes everybody look local, but says for whom it asks. */
const FORWARDING_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

/**
 * Whether a request may use `/graphql`: it comes from this machine itself, or carries the token that is set.
 * A page from elsewhere in a local browser is none of both: the name in its Host header is not this machine's.
 */
export function mayUseGraphql(request: IncomingMessage, token: string | undefined): boolean {
  return isLocal(request) || (token !== undefined && carriesToken(request, token));
}

function isLocal({ socket, headers }: IncomingMessage): boolean {
  return (
    LOOPBACK.test(socket.remoteAddress ?? "") &&
    LOCAL_HOST.test(headers.host ?? "") &&
    FORWARDING_HEADERS.every((name) => headers[name] === undefined)
  );
}

/** Digests have one length, so the comparison tells nothing by its time. */
function carriesToken({ headers }: IncomingMessage, token: string): boolean {
  const match = /^Bearer (.+)$/i.exec(headers.authorization ?? "");
  return match?.[1] !== undefined && timingSafeEqual(digest(match[1]), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
