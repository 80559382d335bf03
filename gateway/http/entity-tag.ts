import { hash } from "node:crypto";

const URL_DIGITS = 16;

/**
 * The entity tag of the response to a URL at a tag of the chain (see `ChainTag`). It belongs to the URL: a client
 * that has it received a response to this URL, with status 200, at this state of the chain.
 */
export function entityTag(chainTag: string, url: string): string {
  return `W/"${chainTag}-${hash("sha256", url, "base64url").slice(0, URL_DIGITS)}"`;
}

/** Whether an entity tag is listed in If-None-Match; ours contain no comma, and are all weak. */
export function isAmong(tag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch === tag) return true;
  // Long lists take a while to split.
  if (!ifNoneMatch.includes(tag.slice(tag.indexOf('"')))) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((text) => opaque(text) === opaque(tag));
}
