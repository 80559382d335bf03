import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Request, Response } from "express";
import { StaticAnswer } from "../http/static-answer.js";

/** What `cli/build-assets.mjs` has written. */
const PAGE = new URL("../../assets/graphiql/index.html", import.meta.url);

let page: Promise<StaticAnswer> | undefined;

/**
 * Sends GraphiQL: one page of 9 MB, without external resources. It is read on the first request, compressed once,
 * and sent again only when the browser has another version.
 */
export async function sendGraphiql(request: Request, response: Response): Promise<void> {
  page ??= readPage();
  const answer = await page;
  await answer.send(request, response);
}

async function readPage(): Promise<StaticAnswer> {
  const html = await readFile(PAGE, "utf8");
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
