import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { startProcess, type TestProcess } from "../support/process.js";
import { skip } from "../support/skipped.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { until } from "../support/until.js";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const SETTINGS = { HOST: "127.0.0.1", PORT: "0", DEVNET_BLOCK_MS: "300" };

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
let packedClient: Packed;
/** The package as it is installed. */
let installed: string;
/** Ends of the started programs, to be called at the end. */
const stops: (() => Promise<unknown>)[] = [];
const folder = temporaryFolder(async () => {
  for (const stop of stops) await stop();
});

function run(command: string, args: readonly string[], cwd = ROOT): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

/** `npm pack` without compiling again: other tests run from `dist`. */
beforeAll(() => {
  run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "client"]);
  const modules = path.join(folder, "node_modules");
  mkdirSync(modules);
  const unpack = (name: string, options: readonly string[]): Packed => {
    const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder, ...options];
    const [file] = JSON.parse(run("npm", args)) as [Packed];
    run("tar", ["-xzf", path.join(folder, file.filename), "-C", folder]);
    run("mv", [path.join(folder, "package"), path.join(modules, name)]);
    return file;
  };
  packed = unpack("symbol-gateway", []);
  packedClient = unpack("symbol-gateway-client", ["--workspace", "client"]);
  // The programs look for their files by their real path.
  installed = path.join(modules, "symbol-gateway");
  const { dependencies } = JSON.parse(readFileSync(path.join(installed, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(ROOT, "node_modules", name), path.join(modules, name));
  }
});

test("the package has the program and the files of the pages, and neither tests nor the client", () => {
  const names = packed.files.map((file) => file.path);
  for (const name of ["package.json", "README.md", "LICENSE", "dist/cli/main.js"]) {
    expect(names).toContain(name);
  }
  expect(names).toContain("dist/assets/docs/swagger-ui-bundle.js");
  const assets = names.filter((name) => name.startsWith("dist/assets/explorer/")).map((name) => path.basename(name));
  expect(assets.map((name) => name.replace(/-[A-Z0-9]{8}\./, "-DIGEST."))).toEqual(
    expect.arrayContaining(["index.html", "main-DIGEST.css", "main-DIGEST.js", "LICENSE-htm"]),
  );
  expect(
    names.filter((name) => /(^|\/)(test(-artifacts)?|client)\/|\.(map|tsbuildinfo)$|(?<!\.d)\.ts$/.test(name)),
  ).toEqual([]);
});

test("the package of the client has no dependency; it is imported by its name, and its types are found", () => {
  const sources = readdirSync(path.join(ROOT, "client")).filter((name) => name.endsWith(".ts"));
  const compiled = sources.flatMap((name) => [name.replace(/ts$/, "js"), name.replace(/ts$/, "d.ts")]);
  const names = packedClient.files.map((file) => file.path);
  expect(names.sort()).toEqual(
    ["LICENSE", "README.md", "package.json", ...compiled.map((name) => `dist/${name}`)].sort(),
  );
  const description = JSON.parse(readFileSync(path.join(ROOT, "client/package.json"), "utf8"));
  expect(Object.keys(description).filter((name) => /dependencies/i.test(name))).toEqual([]);
  const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
  expect(description.version).toBe(version);
  const project = path.join(folder, "project");
  mkdirSync(project);
  const source = `import { GatewayClient, type Message } from "symbol-gateway-client";
const client = new GatewayClient("http://localhost:3000");
export const height: Promise<string> = client.get("/chain/info").then((info) => info.height);
export const amounts = client
  .get("/transactions/confirmed")
  .then(({ data }) => data.map(({ transaction: of }) => (of.type === 16724 ? of.mosaics : [])));
export const listen = () => client.subscribe("block", ({ data }: Message<"block">) => data.block.height);
// @ts-expect-error there is no such path
export const wrong = client.get("/nosuch");
`;
  writeFileSync(path.join(project, "use.ts"), source);
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023", "dom"],
    types: [],
    strict: true,
    noEmit: true,
  };
  writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
  writeFileSync(path.join(project, "package.json"), '{ "type": "module" }');
  run(process.execPath, [path.join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project]);
  const load = 'import("symbol-gateway-client").then(({ GatewayClient }) => console.log(typeof GatewayClient))';
  expect(run(process.execPath, ["-e", load], project)).toBe("function\n");
});

/** Everything runs, from the data folder in the working folder. */
async function expectRunning(program: TestProcess, cwd: string): Promise<void> {
  await program.waitFor("Stop with Ctrl-C.");
  const [, base = ""] = /REST +(http:\S+?)\/?\s/.exec(program.output) ?? [];
  const docs = await fetch(`${base}/docs/swagger-ui-bundle.js`);
  expect({ status: docs.status, bytes: (await docs.text()).length }).toEqual({
    status: 200,
    bytes: expect.any(Number),
  });
  expect((await fetch(`${base}/explorer`)).status).toBe(200);
  const height = async () => Number(((await (await fetch(`${base}/chain/info`)).json()) as { height?: string }).height);
  await until(async () => (await height()) > 1, "blocks are served");
  expect(readdirSync(cwd).filter((name) => !name.endsWith(".tgz"))).toEqual([".data"]);
}

test("dev of the package runs everything in an empty folder, with no development packages", async () => {
  const cwd = path.join(folder, "empty");
  mkdirSync(cwd);
  const script = path.join(installed, "dist/cli/main.js");
  const program = startProcess(["dev"], { cwd, script, env: SETTINGS });
  stops.push(() => program.kill("SIGTERM"));
  await expectRunning(program, cwd);
});

describe("npx", () => {
  const NAME = "npx with the packed file runs everything in an empty folder";
  if (!process.env.TEST_NPX) {
    skip(NAME, "it downloads all packages, or takes them from npm's cache: set TEST_NPX=1");
    return;
  }
  test(NAME, async () => {
    const cwd = path.join(folder, "npx");
    mkdirSync(cwd);
    const npx = path.join(path.dirname(process.execPath), "npx");
    const script = existsSync(npx) ? npx : run("which", ["npx"]).trim();
    // npx would run a file with an absolute path as a program.
    cpSync(path.join(folder, packed.filename), path.join(cwd, packed.filename));
    const args = ["--yes", "--prefer-offline", `./${packed.filename}`, "dev"];
    const cache = run("npm", ["config", "get", "cache"]).trim();
    const env = { ...SETTINGS, npm_config_cache: cache };
    const program = startProcess(args, { cwd, script, env, isUnsupervised: true, ownsGroup: true });
    // npx runs the program through a shell, which does not pass a signal on: as from a terminal, all receive it.
    stops.push(() => program.interruptGroup());
    await expectRunning(program, cwd);
  }, 900_000);
});
