import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((name) => name !== "" && !name.startsWith("test/data/") && existsSync(path.join(ROOT, name)));

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
  const text = readFileSync(file, "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "");
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
    const text = withoutCode(readFileSync(path.join(ROOT, page), "utf8"));
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^(https?|mailto):/.test(link)) return [];
      links += 1;
      const [target = "", anchor] = link.split("#");
      const file = target === "" ? path.join(ROOT, page) : path.resolve(ROOT, path.dirname(page), target);
      if (!existsSync(file)) return [`${page}: ${link}`];
      return anchor === undefined || anchorsOf(file).has(anchor) ? [] : [`${page}: ${link} (no such heading)`];
    });
  });
  expect(links).toBeGreaterThan(100);
  expect(broken).toEqual([]);
});
