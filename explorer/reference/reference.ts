import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { IRouter } from "express";
import { handler, markRoute } from "../../gateway/http/exchange.js";
import { PAGE_HEADERS } from "../../gateway/http/headers.js";
import { otherMethods } from "../../gateway/http/other-methods.js";
import { send } from "../../gateway/http/send.js";
import { StaticAnswer } from "../../gateway/http/static-answer.js";
import type { Extension } from "../../gateway/rest/extension.js";
import { renderChannelsPage, renderReferencePage } from "./pages.js";

/** Path of the reference of the REST interface, and beginning of the paths of its files. */
const REFERENCE_PATH = "/docs";
const HTML = "text/html; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";

/** The files of the pages: our own, and those of Swagger UI. */
const FILES: Readonly<Record<string, readonly [find: (name: string) => string, contentType: string]>> = {
  "style.css": [ownFile, CSS],
  "reference.js": [ownFile, SCRIPT],
  "channels.js": [ownFile, SCRIPT],
  "swagger-ui.css": [swaggerFile, CSS],
  "swagger-ui-bundle.js": [swaggerFile, SCRIPT],
};

/** From the folder of sources, which is beside the folder of compiled files. */
function ownFile(name: string): string {
  return fileURLToPath(new URL(`../../../explorer/reference/${name}`, import.meta.url));
}

/** `cli/build-assets.mjs` copies them, so that a published package needs no other. */
function swaggerFile(name: string): string {
  return fileURLToPath(new URL(`../../assets/swagger-ui/${name}`, import.meta.url));
}

/** The pages `/docs` and `/docs/channels`, and their files. */
export const reference: Extension = {
  path: REFERENCE_PATH,
  isForOperators: false,
  serve(router, { version, descriptions }) {
    servePage(router, REFERENCE_PATH, async () => renderReferencePage(version));
    servePage(router, `${REFERENCE_PATH}/channels`, async () => renderChannelsPage(await descriptions.asyncApi()));
    serveFiles(router);
    return undefined;
  },
};

function servePage(app: IRouter, path: string, render: () => Promise<string>): void {
  app
    .route(path)
    .all(markRoute(path))
    .get(
      handler(async (request, response) => {
        const page = await render();
        for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
        await send(request, response, 200, page, HTML);
      }),
    )
    .all(otherMethods(["GET", "HEAD"]));
}

/**
 * Serves the scripts and styles of `/docs` and `/docs/channels`: read on the first request, compressed once, and sent
 * again only when the browser has another version.
 */
function serveFiles(app: IRouter): void {
  const answers = new Map<string, Promise<StaticAnswer>>();
  const answerOf = (name: string) => {
    const known = answers.get(name);
    if (known) return known;
    const [find, contentType] = FILES[name]!;
    const answer = readFile(find(name)).then((body) => new StaticAnswer(body, contentType, PAGE_HEADERS));
    answer.catch(() => answers.delete(name));
    answers.set(name, answer);
    return answer;
  };
  const path = Object.keys(FILES).map((name) => `${REFERENCE_PATH}/${name}`);
  app
    .route(path)
    .all(markRoute(`${REFERENCE_PATH}/{file}`))
    .get(async (request, response) => {
      const answer = await answerOf(request.path.slice(REFERENCE_PATH.length + 1));
      await answer.send(request, response);
    })
    .all(otherMethods(["GET", "HEAD"]));
}
