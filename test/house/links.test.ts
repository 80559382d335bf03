import path from "node:path";
import { expect, test } from "@jest/globals";
import { productFolders } from "./import-graph.js";
import { exists, read, trackedFiles } from "./tree.js";

const pages = trackedFiles("*.md").filter((name) => !name.startsWith("test/data/"));

/** Text without blocks and spans of code, in which nothing is a link. */
function withoutCode(text: string): string {
  return text
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .replaceAll(/`[^`\n]*`/g, (span) => span.replaceAll(/[[\]()]/g, " "));
}

/** The name that a heading has in a URL, as GitHub and the site build it. */
function slugOf(heading: string): string {
  const text = heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
}

function anchorsOf(file: string): Set<string> {
  const seen = new Map<string, number>();
  const text = read(file).replaceAll(/^```[\s\S]*?^```$/gm, "");
  return new Set(
    [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => {
      const slug = slugOf(heading);
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

test("every link of every page leads to a file, and to a heading in it", () => {
  expect(pages.length).toBeGreaterThan(20);
  let links = 0;
  const broken = pages.flatMap((page) => {
    const text = withoutCode(read(page));
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^(https?|mailto):/.test(link)) return [];
      links += 1;
      const [target = "", anchor] = link.split("#");
      const file = target === "" ? page : path.posix.join(path.posix.dirname(page), target);
      if (!exists(file)) return [`${page}: ${link}`];
      return anchor === undefined || anchorsOf(file).has(anchor) ? [] : [`${page}: ${link} (no such heading)`];
    });
  });
  expect(links).toBeGreaterThan(100);
  expect(broken).toEqual([]);
});

test.each(["docs/architecture.md", "docs/changing.md"])("%s names files and folders that exist", (page) => {
  const isPath = new RegExp(`^(?:${[...productFolders(), "test", "docs"].join("|")})/[\\w./-]*$`);
  const paths = [...read(page).matchAll(/`([^`\n]+)`/g)]
    .map(([, name = ""]) => name)
    .filter((name) => isPath.test(name));
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});
