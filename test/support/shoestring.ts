import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The version of Shoestring whose layout the files of `deploy/shoestring` follow. */
const VERSION = "0.2.4";
/** Only its templates and what patches properties are used: that needs no other package of its own. */
const PACKAGES = [`symbol-shoestring==${VERSION}`, "Jinja2", "MarkupSafe"];
const FOLDER = fileURLToPath(new URL(`../../../node_modules/.cache/shoestring-${VERSION}`, import.meta.url));
const PIP_MS = 120_000;

/** Why there is no Shoestring here; undefined if there is. It is installed once, if pip can. */
export const shoestringProblem = install();

function install(): string | undefined {
  if (existsSync(path.join(FOLDER, "shoestring", "templates"))) return undefined;
  mkdirSync(path.dirname(FOLDER), { recursive: true });
  const args = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", FOLDER, ...PACKAGES];
  const { status, error, stderr } = spawnSync("python3", args, { timeout: PIP_MS, encoding: "utf8" });
  if (status === 0) return undefined;
  const reason = error?.message ?? stderr.trim().split("\n").at(-1);
  return `pip cannot install symbol-shoestring ${VERSION}: ${reason}`;
}

/** Runs a script of Python with Shoestring's own modules. @returns what it wrote */
export function runPython(script: string, ...args: readonly string[]): string {
  // Its module for properties imports the time of another package, which is not used here.
  const prelude = `import sys, types
for name in ("symbolchain", "symbolchain.symbol", "symbolchain.symbol.Network"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["symbolchain.symbol.Network"].NetworkTimestamp = int
`;
  const { status, stdout, stderr } = spawnSync("python3", ["-c", prelude + script, ...args], {
    env: { PATH: process.env.PATH, PYTHONPATH: FOLDER },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** What Shoestring asks its templates for. */
export interface Layout {
  readonly apiHttps: boolean;
  readonly isRecovery?: boolean;
}

/** The `docker-compose.yaml` of a node with `lightApi = false`. @param user as `userId:groupId` */
export function renderCompose({ apiHttps, isRecovery = false }: Layout, user: string): string {
  return runPython(
    `import json, tempfile
from pathlib import Path
from shoestring.internal.FileTemplater import apply_template
import shoestring
template = Path(shoestring.__file__).parent / "templates" / "docker-compose-dual.yaml"
with tempfile.NamedTemporaryFile() as rendered:
    apply_template(template, json.loads(sys.argv[1]), rendered.name)
    print(Path(rendered.name).read_text())
`,
    JSON.stringify({
      catapult_client_image: "symbolplatform/symbol-server:gcc-1.0.3.9",
      catapult_rest_image: "symbolplatform/symbol-rest:2.5.0",
      mongo_image: "mongo:7.0.16",
      user,
      api_https: apiHttps,
      light_api: false,
      domainname: "node.example",
      ...(isRecovery && { recovery: true }),
    }),
  );
}

/** Changes the properties in a folder as `--overrides` does. */
export function patchProperties(folder: string, overrides: string): void {
  runPython(
    `from shoestring.internal.ConfigurationManager import ConfigurationManager, load_patches_from_file
for extension, patches in load_patches_from_file(sys.argv[2]).items():
    ConfigurationManager(sys.argv[1]).patch(f"config-{extension}.properties", patches)
`,
    folder,
    overrides,
  );
}
