import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";

const DIGITS = 27;

/** The entity tag of a body. It is weak: the body may be sent compressed or not. */
export function entityTag(body: string | Buffer): string {
  return `W/"${hash("sha1", body, "base64url").slice(0, DIGITS)}"`;
}

/** Whether a client has the response with an entity tag, as its If-None-Match says. */
export function isKnown(tag: string, { headers }: IncomingMessage): boolean {
  const { "if-none-match": known } = headers;
  if (known === undefined) return false;
  return known === tag || known.trim() === "*" || isAmong(tag, known);
}

/** Ours contain no comma. */
function isAmong(tag: string, ifNoneMatch: string): boolean {
  // Long lists take a while to split.
  if (!ifNoneMatch.includes(tag.slice(tag.indexOf('"')))) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((text) => opaque(text) === opaque(tag));
}
