import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { IRouter, Request, RequestHandler } from "express";
import type { Access } from "../gateway/access/access.js";
import { sendForbidden } from "../gateway/access/sign-in.js";
import { markRoute } from "../gateway/http/exchange.js";
import { PAGE_HEADERS } from "../gateway/http/headers.js";
import { otherMethods } from "../gateway/http/other-methods.js";
import { wantsPage } from "../gateway/http/plain-page.js";
import { readStaticAnswers, StaticAnswer } from "../gateway/http/static-answer.js";
import { LANGUAGES, type Language, negotiateLanguage } from "../gateway/languages/languages.js";
import type { Extension, ExtensionTools } from "../gateway/rest/extension.js";
import { documentHandlers } from "../gateway/rest/persisted-documents.js";
import { documents } from "./documents/documents.js";
import { readPage } from "./page-data.js";

const EXPLORER_PATH = "/explorer";
const DATA_PATH = `${EXPLORER_PATH}/data`;

/** The pages of the navigation: their path below the explorer's, which is the name of their text too. */
const NAVIGATION = [
  ...["blocks", "transactions", "pending", "accounts", "mosaics", "namespaces", "harvesters", "charts", "nodes"],
  ...["network", "node"],
];
/** The page of the navigation that is for operators: public pages are without it. */
const OPERATORS_PAGE = "node";
const navigationOf = (isPublic: boolean) => NAVIGATION.filter((name) => !isPublic || name !== OPERATORS_PAGE);

/** Pages of the explorer: those with a key, such as `/explorer/block/1`, lists, and the search. */
const pagePattern = (isPublic: boolean) =>
  new RegExp(`^(?:(?:block|transaction|account|mosaic|namespace)/[^/]+|search|${navigationOf(isPublic).join("|")})$`);
/** What browsers open in a window; files of the pages have an extension. */
const HAS_EXTENSION = /\.[a-z]+$/;

/** What `cli/build-assets.mjs` has written: pages, and files that have a digest in their names. */
const ASSETS = fileURLToPath(new URL("../assets/explorer/", import.meta.url));
type Headers = Readonly<Record<string, string>>;
/** The page as text in each language. */
type Pages = Readonly<Record<Language, string>>;
const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];
const ASSET_HEADERS = { ...PAGE_HEADERS, "Cache-Control": "max-age=31536000, immutable" };

/** Fills places of a page, such as `<!-- root -->`, which is the way to the gateway's root; others stay. */
const fill = (page: string, values: Readonly<Record<string, string>>): string =>
  page.replace(/<!-- (\w+) -->/g, (place, name: string) => values[name] ?? place);
const OPERATOR_LINKS = '<a href="<!-- root -->graphql">GraphQL</a> <a href="<!-- root -->metrics">{{metrics}}</a>';
const SESSION_FORM = '<form method="post" action="<!-- root -->sign-out"><button>{{signOut}}</button></form>';

/** Serves what is only read. @param route its name in metrics */
export const serveGet = (router: IRouter, route: string, paths: string | string[], ...handlers: RequestHandler[]) =>
  router
    .route(paths)
    .all(markRoute(route))
    .get(handlers)
    .all(otherMethods(["GET", "HEAD"]));

/**
 * Serves the explorer, and the data of its own GraphQL documents, which is all that it reads: to all clients if
 * `isPublic`, otherwise to clients that may use `/graphql`. A browser that is not signed in gets the sign-in page instead.
 */
export function explorer(isPublic: boolean): Extension {
  return {
    path: EXPLORER_PATH,
    isForOperators: !isPublic,
    serve(router, tools) {
      serveData(router, tools, isPublic);
      servePages(router, tools.access, isPublic);
      return undefined;
    },
  };
}

/** The icon, which browsers request by themselves, and what search engines may read: pages, but not each of their data. */
export const filesOfRoot: readonly Extension[] = [
  ["/favicon.ico", "image/svg+xml", readFileSync(path.join(ASSETS, "mark.svg"))] as const,
  ["/robots.txt", "text/plain; charset=utf-8", Buffer.from(`User-agent: *\nDisallow: ${DATA_PATH}\n`)] as const,
].map(([file, type, content]) => {
  const answer = new StaticAnswer(content, type, { "Cache-Control": "max-age=86400" });
  return {
    path: file,
    isForOperators: false,
    serve(router) {
      serveGet(router, file, file, (request, response) => answer.send(request, response));
      return undefined;
    },
  };
});

/** Leads people from the root to the pages; programs get what REST has there. */
export const frontDoor: Extension = {
  path: "/",
  isForOperators: false,
  serve(router) {
    router.get("/", (request, response, next) => {
      response.setHeader("Vary", "Accept, Accept-Encoding");
      if (wantsPage(request)) response.redirect(302, EXPLORER_PATH.slice(1));
      else next();
    });
    return undefined;
  },
};

function serveData(app: IRouter, tools: ExtensionTools, isPublic: boolean): void {
  const { access } = tools;
  const { status: _, node: __, ...publicNow } = documents.ofNow;
  const known = isPublic ? { ...documents, ofNow: publicNow } : documents;
  const { ofDocument, ofPage } = documentHandlers(known, readPage, tools, isPublic);
  const forUsers: RequestHandler = (request, _response, next) => {
    if (access.mayUse(request)) return next();
    throw access.forbidden(request);
  };
  const guards = isPublic ? [] : [access.limitGuesses, forUsers];
  serveGet(app, DATA_PATH, DATA_PATH, ...guards, ofPage);
  serveGet(app, DATA_PATH, `${DATA_PATH}/:name`, ...guards, ofDocument);
}

function servePages(app: IRouter, access: Access, isPublic: boolean): void {
  const { pages, files, headers } = readAssets(access, isPublic);
  const pattern = pagePattern(isPublic);
  const answer: RequestHandler = async (request, response, next) => {
    // As people type it.
    if (request.path === `${EXPLORER_PATH}/`) return response.redirect(302, `..${EXPLORER_PATH}`);
    if (!isPublic && !access.mayRead(request)) return sendForbidden(request, response, access, "explorer");
    const name = request.path.slice(EXPLORER_PATH.length + 1);
    const isPage = name === "" || pattern.test(name);
    const isForPerson = !HAS_EXTENSION.test(name) && wantsPage(request);
    const file = isPage || isForPerson ? pageOf(request, pages, isPage, headers) : files.get(name);
    if (!file) return next("route");
    if (!isPage && isForPerson) response.status(404);
    await file.send(request, response);
  };
  const paths = [EXPLORER_PATH, `${EXPLORER_PATH}/`, `${EXPLORER_PATH}/*file`];
  serveGet(app, EXPLORER_PATH, paths, ...(isPublic ? [] : [access.limitGuesses]), answer);
}

/** The page at an address, or the one that says that there is none. */
function pageOf(request: Request, pages: Pages, isPage: boolean, headers: Headers): StaticAnswer {
  const page = pages[negotiateLanguage(request)];
  const address = request.url.slice(EXPLORER_PATH.length + 1);
  const [name = ""] = address.split("?");
  // The gateway may be served below a path that only the proxy knows, so the way to its root is relative.
  const root = name === "" ? "./" : "../".repeat(name.split("/").length);
  const data = `${root}explorer/data?${new URLSearchParams({ page: address })}`;
  // Browsers read a page's data while they read its scripts.
  const preload = isPage ? `<link rel="preload" as="fetch" crossorigin href="${data}">` : "";
  const body = fill(isPage ? page : page.replace("<html ", "<html data-missing "), { root, data, preload });
  return new StaticAnswer(Buffer.from(body), "text/html; charset=utf-8", headers);
}

/** The page, and the files that it loads. */
function readAssets({ sessions }: Access, isPublic: boolean) {
  const files = readStaticAnswers(ASSETS, ASSET_HEADERS);
  const page = fill(readFileSync(path.join(ASSETS, "index.html"), "utf8"), {
    navigation: navigation(isPublic),
    operators: isPublic ? "" : OPERATOR_LINKS,
    session: sessions && !isPublic ? SESSION_FORM : "",
  });
  const pages = Object.fromEntries(LANGUAGE_NAMES.map((language) => [language, translated(page, language)])) as Pages;
  return { pages, files, headers: headersWith(page) };
}

/** The headers of a page, which allow the script that is in it. */
function headersWith(page: string): Headers {
  const name = "Content-Security-Policy";
  const [, script = ""] = /<script>(.*?)<\/script>/s.exec(page) ?? [];
  const digest = createHash("sha256").update(script).digest("base64");
  return { ...PAGE_HEADERS, [name]: PAGE_HEADERS[name].replace("script-src 'self'", `$& 'sha256-${digest}'`) };
}

/** A page in a language. @throws Error for a text that there is not */
function translated(page: string, language: Language): string {
  const texts: Readonly<Record<string, string>> = LANGUAGES[language].pages;
  const options = LANGUAGE_NAMES.map((one) => {
    const chosen = one === language ? " selected" : "";
    return `<option value="${one}" lang="${one}"${chosen}>${LANGUAGES[one].name}</option>`;
  });
  const languages = `<select id="language" aria-label="{{language}}">${options.join("")}</select>`;
  return fill(page.replace('<html lang="en"', `<html lang="${language}"`), { languages }).replaceAll(
    /\{\{(\w+)\}\}/g,
    (_place, name: string) => {
      if (texts[name] === undefined) throw new Error(`${language} has no text ${name}`);
      return texts[name];
    },
  );
}

function navigation(isPublic: boolean): string {
  const links = navigationOf(isPublic).map(
    (name) => `<a href="<!-- root -->explorer/${name}">{{${name === OPERATORS_PAGE ? "thisNode" : name}}}</a>`,
  );
  return `<nav class="main" id="navigation" aria-label="{{pages}}">${links.join(" ")}</nav>`;
}
