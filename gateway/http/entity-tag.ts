import { createHash } from "node:crypto";

const URL_DIGITS = 16;

/**
 * The entity tag of the answer to a URL at a tag of the chain (see `ChainTag`). It is the URL's own: who has it got an
 * answer to this very URL, with status 200, while the chain was like this.
 */
export function entityTag(chainTag: string, url: string): string {
  return `W/"${chainTag}-${createHash("sha256").update(url).digest("base64url").slice(0, URL_DIGITS)}"`;
}

/** Whether an entity tag is among those of If-None-Match; ours have no comma in them, and are all weak. */
export function isAmong(tag: string, ifNoneMatch: string): boolean {
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((text) => opaque(text) === opaque(tag));
}
