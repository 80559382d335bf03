import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type MeshStandard, meshModule, withoutTexts } from "./mesh-standard.js";

/**
 * `npm run generate:mesh -- FILE`: writes the standard without texts (`test/data/mesh-standard.json`) and the types of
 * the gateway from it. FILE is `api.json` of the repository `coinbase/mesh-specifications`.
 */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: npm run generate:mesh -- FILE (api.json of mesh-specifications)");
const root = new URL("../../../", import.meta.url);
const standard = withoutTexts(JSON.parse(readFileSync(file, "utf8"))) as MeshStandard;
writeFileSync(new URL("test/data/mesh-standard.json", root), `${JSON.stringify(standard)}\n`);
const types = fileURLToPath(new URL("mesh/standard/schemas.ts", root));
writeFileSync(types, meshModule(standard));
process.exitCode = spawnSync("npx", ["biome", "format", "--write", types], { stdio: "inherit" }).status ?? 1;
