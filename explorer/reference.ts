import { fileURLToPath } from "node:url";
import { PAGE_HEADERS } from "../gateway/http/headers.js";
import { readStaticAnswers } from "../gateway/http/static-answer.js";
import type { Extension } from "../gateway/rest/extension.js";
import { serveGet } from "./explorer.js";

const REFERENCE_PATH = "/docs";
/** What `cli/build-assets.mjs` has copied from swagger-ui-dist. */
const ASSETS = fileURLToPath(new URL("../assets/docs/", import.meta.url));

/** The reference of the REST interface: Swagger UI over `/openapi.json`. */
export const reference: Extension = {
  path: REFERENCE_PATH,
  isForOperators: false,
  serve(router) {
    const files = readStaticAnswers(ASSETS, PAGE_HEADERS);
    const paths = [REFERENCE_PATH, `${REFERENCE_PATH}/{*file}`];
    serveGet(router, REFERENCE_PATH, paths, async ({ path }, response, next) => {
      // Its files are beside it.
      if (path === REFERENCE_PATH) return response.redirect(302, `${REFERENCE_PATH.slice(1)}/`);
      const file = files.get(path.slice(REFERENCE_PATH.length + 1) || "index.html");
      return file ? file.send(response.req, response) : next("route");
    });
    return undefined;
  },
};
