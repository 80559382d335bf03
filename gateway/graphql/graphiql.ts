import { createHash } from "node:crypto";
import type { Request, Response } from "express";
import { StaticAnswer } from "../http/static-answer.js";

/** The initial query of GraphiQL; docs/graphql.md has ten more. */
const FIRST_QUESTION = `# Ctrl-Enter runs the query, Ctrl-Space completes. More queries: docs/graphql.md\n{\n  indexStatus { height nodeHeight blocksBehind secondsBehind }\n  finalizationLag { blocks seconds }\n  blocks(first: 3) {\n    data {\n      height\n      harvester { address }\n      transactions(first: 5) { data { hash type fee signer { address } } }\n    }\n  }\n}\n`;

/** What the page lacks for phones. */
const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

let rendered: Promise<StaticAnswer> | undefined;

/**
 * Sends GraphiQL: one page of 9 MB, without external resources. It is rendered on the first request, compressed once,
 * and sent again only when the browser has another version.
 */
export async function sendGraphiql(request: Request, response: Response): Promise<void> {
  rendered ??= render();
  const page = await rendered;
  await page.send(request, response);
}

async function render(): Promise<StaticAnswer> {
  const { renderGraphiQL } = await import("@graphql-yoga/render-graphiql");
  const html = renderGraphiQL({ title: "symbol-gateway", defaultQuery: FIRST_QUESTION }).replace(
    "<head>",
    `<head>${VIEWPORT}`,
  );
  const headers = {
    "Content-Security-Policy": contentSecurityPolicy(html),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    // The browser may cache it, but must revalidate it each time, because the user may have signed out.
    "Cache-Control": "private, no-cache",
  };
  return new StaticAnswer(Buffer.from(html), "text/html; charset=utf-8", headers);
}

/** Its own script and workers, its styles, and requests to this server; no framing by other pages. */
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
