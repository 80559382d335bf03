import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { IRouter, RequestHandler } from "express";
import { PAGE_HEADERS } from "../../gateway/http/headers.js";
import { otherMethods } from "../../gateway/http/other-methods.js";
import { StaticAnswer } from "../../gateway/http/static-answer.js";
import { REFERENCE_PATH } from "./pages.js";

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

/** `npm run build` copies them, so that a published package needs no other; in a checkout they are in node_modules. */
function swaggerFile(name: string): string {
  const copy = fileURLToPath(new URL(`../../assets/swagger-ui/${name}`, import.meta.url));
  return existsSync(copy) ? copy : createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
}

/**
 * Serves the scripts and styles of `/docs` and `/docs/channels`: read on the first request, compressed once, and sent
 * again only when the browser has another version.
 * @param before handlers that run first
 */
export function serveReferenceFiles(app: IRouter, before: readonly RequestHandler[]): void {
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
    .all(...before)
    .get(async (request, response) => {
      const answer = await answerOf(request.path.slice(REFERENCE_PATH.length + 1));
      await answer.send(request, response);
    })
    .all(otherMethods(["GET", "HEAD"]));
}
