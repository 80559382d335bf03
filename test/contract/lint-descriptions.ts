import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { selectBehaviour } from "../../gateway/compatibility/compatibility.js";
import { describeMessages, serversAt } from "../../gateway/rest/asyncapi.js";
import { describeRoutes } from "../../gateway/rest/openapi.js";
import { routes } from "../../gateway/rest/routes/table.js";

/**
 * `npm run lint:api`: lints `/openapi.json` with Redocly and validates `/asyncapi.json` with AsyncAPI's parser, which
 * npm downloads into its cache: together they have 170 packages, too many for development packages.
 */
const REDOCLY = "@redocly/cli@2.77.0";
const ASYNCAPI = "@asyncapi/parser@3.6.3";

const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-api-"));
const write = (name: string, content: unknown) => {
  const file = path.join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
};

/** Runs a program of a package. @returns the exit code */
function run(packageName: string, ...command: string[]): number {
  const args = ["exec", "--yes", "--ignore-scripts", `--package=${packageName}`, "--", ...command];
  return spawnSync("npm", args, { stdio: "inherit" }).status ?? 1;
}

/** The package is beside the folder of programs that npm puts first into the PATH. */
const parse = `
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const [programs] = process.env.PATH.split(":").filter((folder) => folder.includes("_npx"));
const { Parser } = createRequire(programs + "/../")("@asyncapi/parser");
const { diagnostics } = await new Parser().parse(readFileSync(process.argv[2], "utf8"));
for (const { severity, message, path } of diagnostics) console.log(severity === 0 ? "error" : "note", path.join("."), message);
const errors = diagnostics.filter(({ severity }) => severity === 0).length;
console.log("asyncapi.json: " + errors + " errors");
process.exitCode = errors > 0 ? 1 : 0;
`;

try {
  const codes = (["spec", "catapult-rest"] as const).map((mode) => {
    const file = write(`openapi-${mode}.json`, describeRoutes(routes, "1.0.0", selectBehaviour(mode)));
    return run(REDOCLY, "redocly", "lint", file, "--format=summary");
  });
  codes.push(
    run(
      ASYNCAPI,
      "node",
      write("parse.mjs", parse),
      write("asyncapi.json", {
        ...describeMessages("1.0.0"),
        servers: serversAt({ host: "localhost:3000", isOverTls: false }),
      }),
    ),
  );
  process.exitCode = Math.max(...codes);
} finally {
  rmSync(folder, { recursive: true });
}
