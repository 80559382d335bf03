import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import { forbidden, mayUseGraphql } from "./graphql/access.js";
import { send } from "./send.js";

/** Where the page for people who watch is. */
export const DASHBOARD_PATH = "/dashboard";

/** The page's files by path; they are served as they stand in the repository. */
const FILES: Readonly<Record<string, readonly [file: string, contentType: string]>> = {
  [DASHBOARD_PATH]: ["index.html", "text/html; charset=utf-8"],
  [`${DASHBOARD_PATH}/style.css`]: ["style.css", "text/css; charset=utf-8"],
  [`${DASHBOARD_PATH}/main.js`]: ["main.js", "text/javascript; charset=utf-8"],
  [`${DASHBOARD_PATH}/graphql.js`]: ["graphql.js", "text/javascript; charset=utf-8"],
  [`${DASHBOARD_PATH}/charts.js`]: ["charts.js", "text/javascript; charset=utf-8"],
  [`${DASHBOARD_PATH}/format.js`]: ["format.js", "text/javascript; charset=utf-8"],
};

/** Nothing from elsewhere, nothing inline but the widths of bars, and in no frame of another page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src data:",
  "connect-src 'self' ws: wss:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Serves the dashboard, which asks `/graphql` for everything it shows. Whoever may use `/graphql` gets it; where a token
 * is set everybody gets the page, which asks for the token, because a browser cannot send it with the request for a page.
 */
export function dashboard(token: string | undefined): RequestHandler {
  const files = new Map(Object.entries(FILES).map(([path, [file, type]]) => [path, { body: readSource(file), type }]));
  return async (request, response, next) => {
    const file = files.get(request.path);
    if (!file) return next();
    requireAccess(request, token);
    response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    response.setHeader("Cache-Control", "no-cache");
    response.setHeader("X-Content-Type-Options", "nosniff");
    await send(request, response, 200, file.body, file.type);
  };
}

function requireAccess(request: IncomingMessage, token: string | undefined): void {
  if (token === undefined && !mayUseGraphql(request, token)) throw forbidden(token);
}

/** From the folder of sources, which stands beside the folder of compiled files. */
function readSource(file: string): string {
  return readFileSync(new URL(`../../gateway/dashboard/${file}`, import.meta.url), "utf8");
}
