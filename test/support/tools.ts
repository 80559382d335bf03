import { accessSync, constants } from "node:fs";
import path from "node:path";

/** Programs that some tests need and no package brings, and how people install each. */
const INSTALLED_BY = {
  nginx: "apt-get install nginx",
  caddy: "apt-get install caddy",
  haproxy: "apt-get install haproxy",
  pgbouncer: "apt-get install pgbouncer (1.21 or later; PGBOUNCER names another one)",
  openssl: "apt-get install openssl",
  ssconvert: "apt-get install gnumeric",
  chromium: "apt-get install chromium (CHROMIUM_PATH names another one)",
  "systemd-analyze": "apt-get install systemd",
  promtool: "apt-get install prometheus",
  helm: "snap install helm --classic",
  "mesh-cli": "go install github.com/coinbase/mesh-cli@latest (MESH_CLI names another one)",
  "openapi-typescript": "npm install --global openapi-typescript openapi-fetch",
  "openapi-python-client": "pipx install openapi-python-client",
  "openapi-generator-cli":
    "npm install --global @openapitools/openapi-generator-cli; apt-get install default-jdk maven; TEST_NPX=1",
} as const;

/** The name of such a program. */
export type Tool = keyof typeof INSTALLED_BY;

const PLACES = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin", "/usr/local/sbin"];

/** The path of a program; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  return PLACES.map((folder) => path.join(folder, name)).find(isExecutable);
}

/** Whether a file can be run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Why a test that needs a program is skipped, in one line: how to install it. */
export function lacking(tool: Tool): string {
  return `no ${tool}: ${INSTALLED_BY[tool]}`;
}

/** The same for each program that is not on the PATH. */
export function lackingTools(): string[] {
  return (Object.keys(INSTALLED_BY) as Tool[]).filter((tool) => findProgram(tool) === undefined).map(lacking);
}
