import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import { isAmong } from "../http/entity-tag.js";
import { CachedAnswer } from "../http/response-cache.js";
import { sendCached, sendNotModified } from "../http/send.js";

/** What GraphiQL shows first; docs/graphql.md has ten more. */
const FIRST_QUESTION = `# Ctrl-Enter asks, Ctrl-Space completes. More questions: docs/graphql.md
{
  indexStatus { height nodeHeight blocksBehind secondsBehind }
  finalizationLag { blocks seconds }
  blocks(first: 3) {
    data {
      height
      harvester { address }
      transactions(first: 5) { data { hash type fee signer { address } } }
    }
  }
}
`;

let rendered: Promise<CachedAnswer> | undefined;

/**
 * Sends GraphiQL: one page of 9 MB, without anything from elsewhere. It is rendered when somebody looks at it for the
 * first time, compressed once, and sent again only when the browser has another version.
 */
export async function sendGraphiql(request: Request, response: Response): Promise<void> {
  rendered ??= render();
  const page = await rendered;
  const etag = page.answer.headers.ETag ?? "";
  for (const [name, value] of Object.entries(page.answer.headers)) response.setHeader(name, value);
  if (isAmong(etag, request.headers["if-none-match"] ?? "")) sendNotModified(response);
  else await sendCached(request, response, page);
}

async function render(): Promise<CachedAnswer> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const html = renderGraphiQL({ title: "symbol-gateway", defaultQuery: FIRST_QUESTION });
  const headers = {
    "Content-Security-Policy": contentSecurityPolicy(html),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    // The browser may keep it, and asks each time, because somebody may have signed out.
    "Cache-Control": "private, no-cache",
    ETag: `W/"${digest(html)}"`,
  };
  return new CachedAnswer(
    { body: Buffer.from(html), contentType: "text/html; charset=utf-8", headers },
    () => undefined,
  );
}

/** Its own script, workers that it makes, its styles, and requests to this server; in no frame of another page. */
function contentSecurityPolicy(html: string): string {
  const script = html.slice(html.indexOf("<script>") + "<script>".length, html.lastIndexOf("</script>"));
  return [
    "default-src 'none'",
    `script-src 'sha256-${digest(script)}' blob:`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
