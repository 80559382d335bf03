import { fileURLToPath } from "node:url";
import { markRoute } from "../gateway/http/exchange.js";
import { PAGE_HEADERS } from "../gateway/http/headers.js";
import { otherMethods } from "../gateway/http/other-methods.js";
import { readStaticAnswers } from "../gateway/http/static-answer.js";
import type { Extension } from "../gateway/rest/extension.js";

const REFERENCE_PATH = "/docs";
/** What `cli/build-assets.mjs` has copied from swagger-ui-dist. */
const ASSETS = fileURLToPath(new URL("../assets/docs/", import.meta.url));

/** The reference of the REST interface: Swagger UI over `/openapi.json`. */
export const reference: Extension = {
  path: REFERENCE_PATH,
  isForOperators: false,
  serve(router) {
    const files = readStaticAnswers(ASSETS, PAGE_HEADERS);
    router
      .route([REFERENCE_PATH, `${REFERENCE_PATH}/{*file}`])
      .all(markRoute(REFERENCE_PATH))
      .get(async ({ path }, response, next) => {
        // Its files are beside it.
        if (path === REFERENCE_PATH) return response.redirect(302, `${REFERENCE_PATH.slice(1)}/`);
        const file = files.get(path.slice(REFERENCE_PATH.length + 1) || "index.html");
        return file ? file.send(response.req, response) : next("route");
      })
      .all(otherMethods(["GET", "HEAD"]));
    return undefined;
  },
};
