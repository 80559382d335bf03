import { readFileSync } from "node:fs";
import type { Express, RequestHandler } from "express";
import { type Access, requirePath } from "../access/access.js";
import { sendForbidden } from "../access/sign-in.js";
import { otherMethods } from "../http/other-methods.js";
import { PAGE_HEADERS } from "../http/page-headers.js";
import { send } from "../http/send.js";

/** Path of the dashboard. */
export const DASHBOARD_PATH = "/dashboard";

/** The page's files by path; they are served unchanged. */
const FILES: Readonly<Record<string, readonly [file: string, contentType: string]>> = {
  [DASHBOARD_PATH]: ["index.html", "text/html; charset=utf-8"],
  [`${DASHBOARD_PATH}/style.css`]: ["style.css", "text/css; charset=utf-8"],
  [`${DASHBOARD_PATH}/main.js`]: ["main.js", "text/javascript; charset=utf-8"],
  [`${DASHBOARD_PATH}/graphql.js`]: ["graphql.js", "text/javascript; charset=utf-8"],
  [`${DASHBOARD_PATH}/charts.js`]: ["charts.js", "text/javascript; charset=utf-8"],
  [`${DASHBOARD_PATH}/format.js`]: ["format.js", "text/javascript; charset=utf-8"],
};

/** Placeholder in the page for the session's controls. */
const SESSION_MARK = "<!-- session -->";
const SESSION_FORM =
  '<form method="post" action="sign-out"><a id="sign-in" href="sign-in" hidden>Sign in again</a> <button>Sign out</button></form>';

/**
 * Serves the dashboard, which reads all its data from `/graphql`, to clients that may use that. A browser that is not
 * signed in gets the sign-in page instead.
 * @param before handlers that run first
 */
export function serveDashboard(app: Express, access: Access, before: readonly RequestHandler[]): void {
  const files = new Map(
    Object.entries(FILES).map(([path, [file, type]]) => [path, { body: readSource(file, access), type }]),
  );
  app
    .route([DASHBOARD_PATH, `${DASHBOARD_PATH}/:file`])
    .all(...before, requirePath)
    .get(async (request, response, next) => {
      if (!access.mayRead(request)) return sendForbidden(request, response, access, "dashboard");
      const file = files.get(request.path);
      if (!file) return next("route");
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
      await send(request, response, 200, file.body, file.type);
    })
    .all(otherMethods(["GET", "HEAD"]));
}

/** From the folder of sources, which is beside the folder of compiled files. */
function readSource(file: string, { sessions }: Access): string {
  const text = readFileSync(new URL(`../../../gateway/dashboard/${file}`, import.meta.url), "utf8");
  return text.replace(SESSION_MARK, sessions ? SESSION_FORM : "");
}
