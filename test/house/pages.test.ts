import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { productFolders } from "./import-graph.js";

const ROOT = new URL("../../../", import.meta.url);

/** The paths of files and folders that a page names from the project's root. */
function pathsIn(text: string): string[] {
  const rooms = [...productFolders(), "test", "docs"].join("|");
  const path = new RegExp(`^(?:${rooms})/[\\w./-]*$`);
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = ""]) => name).filter((name) => path.test(name));
}

describe.each(["docs/architecture.md", "docs/changing.md"])("%s", (page) => {
  test("names files and folders that exist", () => {
    const paths = pathsIn(readFileSync(new URL(page, ROOT), "utf8"));
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
  });

  test("links pages that exist", () => {
    const links = [...readFileSync(new URL(page, ROOT), "utf8").matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)];
    expect(
      links.map(([, target = ""]) => target).filter((to) => !existsSync(new URL(to, new URL(page, ROOT)))),
    ).toEqual([]);
  });
});
