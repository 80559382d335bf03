import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The version of Shoestring whose layout the files of `deploy/shoestring` follow. */
const VERSION = "0.2.4";
/** Only its templates and what patches properties are used: that needs no other package of its own. */
const PACKAGES = [`symbol-shoestring==${VERSION}`, "Jinja2", "MarkupSafe"];
const FOLDER = fileURLToPath(new URL(`../../../node_modules/.cache/shoestring-${VERSION}`, import.meta.url));
const PIP_MS = 120_000;

/** Its commands need the packages that it names too. */
const hasCommands = spawnSync("python3", ["-c", "import shoestring, symbollightapi"]).status === 0;
const HEALTH_MS = 120_000;

/** Why Shoestring's commands cannot be run here; undefined if they can. */
export const commandsProblem = hasCommands
  ? undefined
  : `python3 has no symbol-shoestring: pip install symbol-shoestring==${VERSION}`;

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
function runPython(script: string, ...args: readonly string[]): string {
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

/** `shoestring.ini` of a node with an API, of which only what the health agents read is right. */
const CONFIG = `[network]
name = testnet
identifier = 152
epochAdjustment = 0
generationHashSeed = ${"00".repeat(32)}
[images]
client = x
rest = x
mongo = x
[services]
nodewatch = http://127.0.0.1:1
[transaction]
feeMultiplier = 100
timeoutHours = 1
minCosignaturesCount = 0
hashLockDuration = 1440
currencyMosaicId = 0x0
lockedFundsPerAggregate = 10000000
[imports]
harvester =
voter =
nodeKey =
[node]
features = API
userId = 1000
groupId = 1000
caPassword =
apiHttps = false
lightApi = false
caCommonName = CA
nodeCommonName = node
`;

/** Runs the health agents on a node's folder. @returns what they said, and the lines of it that are problems */
export async function checkHealth(folder: string): Promise<{ readonly text: string; readonly problems: string[] }> {
  const config = path.join(folder, "shoestring.ini");
  writeFileSync(config, CONFIG);
  const args = ["-m", "shoestring", "health", "--config", config, "--directory", folder];
  const { stdout, stderr } = await promisify(execFile)("python3", args, { timeout: HEALTH_MS });
  const text = stdout + stderr;
  const problems = text.split("\n").filter((line) => /error|fail|could not|cannot|timed out|missing/i.test(line));
  return { text, problems };
}

/**
 * Writes the certificates of a node as Shoestring does, into a folder that has its key `node.key.pem`.
 *
 * @param authorityKey file of the authority's private key
 */
export function writeCertificates(folder: string, authorityKey: string): void {
  runPython(
    `import shutil
from shoestring.internal.CertificateFactory import CertificateFactory
from shoestring.internal.OpensslExecutor import OpensslExecutor
folder, authority = sys.argv[1:]
with CertificateFactory(OpensslExecutor("openssl"), authority) as factory:
    shutil.copy(f"{folder}/node.key.pem", "node.key.pem")
    factory.extract_ca_public_key()
    factory.generate_ca_certificate("authority")
    factory.generate_node_certificate("node")
    factory.create_node_certificate_chain()
    factory.package(folder)
`,
    folder,
    authorityKey,
  );
}
