import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { SUPPORTED_NODES } from "../../cli/process/node-version.js";
import { exists, ROOT, read } from "./tree.js";

const json = (name: string) => JSON.parse(read(name));
const workflows = readdirSync(new URL(".github/workflows/", ROOT)).map((name) => `.github/workflows/${name}`);
const forms = readdirSync(new URL(".github/ISSUE_TEMPLATE/", ROOT)).filter((name) => name !== "config.yml");

interface Step {
  readonly run?: string;
  readonly uses?: string;
}
interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly strategy?: { readonly matrix: object }; readonly steps?: readonly Step[] }>
  >;
}

test("packages say the licence, the version and the versions of Node that the program says", () => {
  // Of 22, the program needs a release with `zlib.crc32`; the client needs a `fetch`, and a `WebSocket` may be passed.
  const wanted = {
    "package.json": SUPPORTED_NODES.join(" || ").replace("22", "^22.2.0"),
    "client/package.json": ">=20",
  };
  for (const [name, node] of Object.entries(wanted)) {
    const { engines, license, version, keywords } = json(name);
    expect({ name, node: engines.node, license, version, words: keywords.length > 3 }).toEqual({
      name,
      node,
      license: "Apache-2.0",
      version: json("package.json").version,
      words: true,
    });
  }
  expect(read("LICENSE")).toContain("Apache License");
  expect(read("client/LICENSE")).toBe(read("LICENSE"));
});

test("every package of the lock files has a hash", () => {
  for (const name of ["package-lock.json", "site/package-lock.json"]) {
    const packages = Object.entries<{ link?: true; integrity?: string }>(json(name).packages);
    const others = packages.filter(([path, { link }]) => path.includes("node_modules/") && !link);
    expect(others.length).toBeGreaterThan(100);
    expect(others.filter(([, { integrity = "" }]) => !integrity.startsWith("sha512-")).map(([path]) => path)).toEqual(
      [],
    );
  }
});

test("an image gets the digest of its tag, and one that has a digest keeps it", () => {
  const folder = mkdtempSync(join(tmpdir(), "symbol-gateway-images-"));
  try {
    const file = join(folder, "compose.yaml");
    const [digest, other] = ["a", "b"].map((digit) => `sha256:${digit.repeat(64)}`);
    writeFileSync(file, `a:\n  image: postgres:18\nb:\n  image: caddy:2@${other}\nc:\n  image: symbol-gateway\n`);
    writeFileSync(join(folder, "docker"), `#!/bin/sh\necho '"${digest}"'\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    execFileSync(fileURLToPath(new URL(".ci/pin-images", ROOT)), [file], { env });
    expect(readFileSync(file, "utf8")).toBe(
      `a:\n  image: postgres:18@${digest}\nb:\n  image: caddy:2@${other}\nc:\n  image: symbol-gateway\n`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("only OWNER.md lacks addresses", () => {
  const files = ["CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", ...workflows];
  expect(files.filter((name) => /to be filled in|example\.(com|org)|TODO/i.test(read(name)))).toEqual([]);
});

describe("workflows", () => {
  test.each(workflows)("%s has jobs with steps, or uses one that has", (name) => {
    const { jobs } = parse(read(name)) as Workflow;
    expect(Object.keys(jobs).length).toBeGreaterThan(0);
    for (const job of Object.values(jobs)) {
      const { uses } = job as Step;
      if (uses) expect(exists(uses)).toBe(true);
      else expect(job.steps?.every((step) => step.run || step.uses)).toBe(true);
    }
  });

  test("run what .ci/run does, on each supported version", () => {
    const { test: job } = (parse(read(".github/workflows/test.yml")) as Workflow).jobs;
    expect(job?.strategy?.matrix).toEqual({ node: [20, ...SUPPORTED_NODES], postgres: [15, 16, 17, 18] });
    expect(job?.steps?.at(-1)?.run).toBe(".ci/run");
  });

  test("name other people's actions by the digest of their commit", () => {
    const uses = workflows.flatMap((name) => [...read(name).matchAll(/uses: (\S+)/g)].map(([, action = ""]) => action));
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  test("run scripts of package.json that exist", () => {
    const scripts = workflows.flatMap((name) =>
      [...read(name).matchAll(/npm run ([\w:-]+)/g)].map(([, run = ""]) => run),
    );
    expect(scripts.filter((run) => !(run in json("package.json").scripts))).toEqual([]);
  });
});

test.each(forms)("the form %s has fields with names", (name) => {
  const { body, description } = parse(read(`.github/ISSUE_TEMPLATE/${name}`));
  expect(description).toEqual(expect.any(String));
  for (const { id, attributes } of body)
    expect({ id, label: attributes.label }).toEqual({ id: expect.any(String), label: expect.any(String) });
});

test("the changelog has the form of keepachangelog.com", () => {
  const text = read("CHANGELOG.md");
  const versions = [...text.matchAll(/^## (.*)$/gm)].map(([, heading = ""]) => heading);
  expect(versions[0]).toBe(`[${json("package.json").version}]`);
  expect(versions.slice(1).filter((heading) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/.test(heading))).toEqual([]);
  const kinds = [...text.matchAll(/^### (.*)$/gm)].map(([, heading = ""]) => heading);
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  expect(kinds.filter((kind) => !known.includes(kind))).toEqual([]);
});
