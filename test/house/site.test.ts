import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { skip } from "../support/skipped.js";
import { ROOT } from "./tree.js";

const SITE = fileURLToPath(new URL("site/", ROOT));
const NAME = "the site is built of every page of docs/";

/** The links of a built page to others of the site, by their paths. */
function linksOf(page: string): { page: string; to: string }[] {
  const html = readFileSync(`${SITE}dist/${page}`, "utf8");
  return [...html.matchAll(/<a[^>]*\shref="([^"#]+)/g)]
    .map(([, link = ""]) => new URL(link, `https://site.test/${page}`))
    .filter(({ origin }) => origin === "https://site.test")
    .map(({ pathname }) => ({ page, to: decodeURIComponent(pathname.slice(1)) }));
}

const pages = readdirSync(new URL("docs/", ROOT), { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".md"),
);

test("the site's menu has every page of docs/, but the first", () => {
  const links = [...readFileSync(`${SITE}.vitepress/config.mjs`, "utf8").matchAll(/page\("[^"]+", "\/([\w/-]+)"\)/g)];
  expect(links.map(([, link]) => `${link}.md`).sort()).toEqual(pages.filter((name) => name !== "index.md").sort());
});

if (!existsSync(`${SITE}node_modules`))
  skip(NAME, "its packages are not installed: npm ci --ignore-scripts --prefix site");
else
  test(NAME, () => {
    const { status, stdout, stderr } = spawnSync("npm", ["run", "build"], { cwd: SITE, encoding: "utf8" });
    expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" });
    const built = new Set(readdirSync(`${SITE}dist`, { recursive: true, encoding: "utf8" }));
    expect(pages.filter((name) => !built.has(name.replace(/md$/, "html")))).toEqual([]);
    expect(built.has("404.html")).toBe(true);
    const links = [...built].filter((name) => name.endsWith(".html")).flatMap(linksOf);
    expect(links.length).toBeGreaterThan(500);
    const isThere = (path: string) =>
      [path, `${path}.html`, path === "" ? "index.html" : path].some((one) => built.has(one));
    expect(links.filter(({ to }) => !isThere(to))).toEqual([]);
  });
