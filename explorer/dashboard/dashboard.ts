import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { IRouter, Request } from "express";
import { type Access, ownPages, requirePath } from "../../gateway/access/access.js";
import { sendForbidden } from "../../gateway/access/sign-in.js";
import { PAGE_HEADERS } from "../../gateway/http/headers.js";
import { otherMethods } from "../../gateway/http/other-methods.js";
import { send } from "../../gateway/http/send.js";
import type { Extension, ExtensionTools } from "../../gateway/rest/extension.js";
import { documentHandler, type KnownDocuments } from "../../gateway/rest/known-documents.js";

const DASHBOARD_PATH = "/dashboard";

/** The pages of the navigation, by their path below the dashboard's. */
const NAVIGATION: readonly (readonly [path: string, title: string])[] = [
  ["blocks", "Blocks"],
  ["transactions", "Transactions"],
  ["pending", "Pending"],
  ["accounts", "Accounts"],
  ["mosaics", "Mosaics"],
  ["namespaces", "Namespaces"],
  ["harvesters", "Harvesters"],
  ["nodes", "Nodes"],
  ["network", "Network"],
  ["node", "This node"],
];

/** Pages of the explorer: those with a key, such as `/dashboard/block/1`, lists, and the search. */
const EXPLORER_PAGE = new RegExp(
  `^(?:(?:block|transaction|account|mosaic|namespace)/[^/]+|search|${NAVIGATION.map(([name]) => name).join("|")})$`,
);
/** What browsers open in a window; files of the pages have an extension. */
const HAS_EXTENSION = /\.[a-z]+$/;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** Libraries that the pages use, by the name under which they are served: a module of the package, a file beside it. */
const LIBRARIES: Readonly<Record<string, readonly [module: string, file: string]>> = {
  "vendor/preact.js": ["htm", "../preact/standalone.module.js"],
  "vendor/uplot.js": ["uplot", "uPlot.esm.js"],
  "vendor/uplot.css": ["uplot", "uPlot.min.css"],
};

/** Sources are beside the folder of compiled files, and served unchanged. */
const SOURCES = fileURLToPath(new URL("../../../explorer/dashboard/", import.meta.url));

interface PageFile {
  readonly body: string;
  readonly type: string;
  /** 200 by default. */
  readonly status?: number;
}

/** Placeholder in pages for the way from their address to the gateway's root. */
const ROOT_MARK = "<!-- root -->";
/** Placeholder in pages for links to all others. */
const NAVIGATION_MARK = "<!-- navigation -->";
/** Placeholder in the first page for links to what is for operators. */
const OPERATOR_MARK = "<!-- operators -->";
const OPERATOR_LINKS = '<a href="graphql">GraphQL</a> <a href="metrics">metrics</a>';
/** Placeholder in pages for the session's controls. */
const SESSION_MARK = "<!-- session -->";
const SESSION_FORM =
  '<form method="post" action="sign-out"><a id="sign-in" href="sign-in" hidden>Sign in again</a> <button>Sign out</button></form>';

/** The documents of the pages, from their own file. */
const documents = (await import(pathToFileURL(path.join(SOURCES, "documents.js")).href)) as KnownDocuments;

/**
 * Serves the dashboard and the explorer, and the data of their own GraphQL documents, which is all that they read: to
 * all clients if `isPublic`, otherwise to clients that may use `/graphql`. A browser that is not signed in gets the sign-in
 * page instead.
 */
export function dashboard(isPublic: boolean): Extension {
  return {
    path: DASHBOARD_PATH,
    isForOperators: !isPublic,
    serve(router, tools) {
      serveData(router, tools, isPublic);
      serveDashboard(router, tools.access, isPublic);
      return undefined;
    },
  };
}

/** Leads people from the root to the pages; programs get what REST has there. */
export const frontDoor: Extension = {
  path: "/",
  isForOperators: false,
  serve(router) {
    router.get("/", (request, response, next) => {
      response.vary("Accept");
      if (isForPeople(request)) response.redirect(302, DASHBOARD_PATH.slice(1));
      else next();
    });
    return undefined;
  },
};

/** Whether a browser wants a page. */
const isForPeople = ({ headers }: Request): boolean => headers.accept?.includes("text/html") ?? false;

function serveData(app: IRouter, tools: ExtensionTools, isPublic: boolean): void {
  const { access } = tools;
  app
    .route(`${DASHBOARD_PATH}/data/:name`)
    .all(...ownPages(`${DASHBOARD_PATH}/data`), requirePath, access.limitGuesses)
    .get(
      (request, _response, next) => {
        if (isPublic || access.mayUse(request)) return next();
        throw access.forbidden(request);
      },
      documentHandler(documents, tools, isPublic),
    )
    .all(otherMethods(["GET", "HEAD"]));
}

function serveDashboard(app: IRouter, access: Access, isPublic: boolean): void {
  const files = readFiles(access, isPublic);
  app
    .route([DASHBOARD_PATH, `${DASHBOARD_PATH}/*file`])
    .all(...ownPages(DASHBOARD_PATH), requirePath, access.limitGuesses)
    .get(async (request, response, next) => {
      if (!isPublic && !access.mayRead(request)) return sendForbidden(request, response, access, "dashboard");
      const file = fileOf(request.path, files, isForPeople(request));
      if (!file) return next("route");
      for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
      await send(request, response, file.status ?? 200, file.body, file.type);
    })
    .all(otherMethods(["GET", "HEAD"]));
}

/** What is served at a path, or undefined; people get a page also where there is none. */
function fileOf(requested: string, files: ReadonlyMap<string, PageFile>, isForPeople: boolean): PageFile | undefined {
  if (requested === DASHBOARD_PATH) return files.get("index.html");
  const name = requested.slice(DASHBOARD_PATH.length + 1);
  const isPage = EXPLORER_PAGE.test(name);
  if (!isPage && (HAS_EXTENSION.test(name) || !isForPeople))
    return name.endsWith(".html") ? undefined : files.get(name);
  const page = files.get("explorer.html");
  // The gateway may be served below a path that only the proxy knows, so the way to its root is relative.
  const root = "../".repeat(name.split("/").length);
  if (!page) return undefined;
  const body = page.body.replaceAll(ROOT_MARK, root);
  return isPage ? { ...page, body } : { ...page, body: body.replace("<html ", "<html data-missing "), status: 404 };
}

/** Pages, styles, scripts and libraries by their path below the dashboard's. */
function readFiles({ sessions }: Access, isPublic: boolean): ReadonlyMap<string, PageFile> {
  const library = createRequire(import.meta.url);
  const own = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .map((name) => name.split(path.sep).join("/"))
    .filter((name) => CONTENT_TYPES[path.extname(name)] !== undefined)
    .map((name) => [name, path.join(SOURCES, name)] as const);
  const libraries = Object.entries(LIBRARIES).map(
    ([name, [module, file]]) => [name, path.join(path.dirname(library.resolve(module)), file)] as const,
  );
  return new Map(
    [...own, ...libraries].map(([name, file]) => {
      const body = readFileSync(file, "utf8")
        .replace(NAVIGATION_MARK, navigation(name === "index.html" ? "" : ROOT_MARK))
        .replace(OPERATOR_MARK, isPublic ? "" : OPERATOR_LINKS)
        .replace(SESSION_MARK, sessions && !isPublic ? SESSION_FORM : "");
      return [name, { body, type: CONTENT_TYPES[path.extname(name)]! }];
    }),
  );
}

function navigation(root: string): string {
  const links = NAVIGATION.map(([name, title]) => `<a href="${root}dashboard/${name}">${title}</a>`);
  return `<nav class="main" aria-label="Pages">${links.join(" ")}</nav>`;
}
