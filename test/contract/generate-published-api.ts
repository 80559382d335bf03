import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { dataPath } from "../support/test-data.js";
import { withoutTexts } from "./mesh-standard.js";

/**
 * `npx tsc --build && node dist/test/contract/generate-published-api.js FILE`: writes the facts of the published REST
 * interface (operations, parameters, members, types, what is required; no sentence and no example) to
 * `test/data/published-api.json.gz`. FILE is the OpenAPI file that the package `symbol-openapi` builds, as JSON.
 */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: generate-published-api.js FILE (symbol-openapi 1.0.5, as JSON)");
const { paths, components } = withoutTexts(JSON.parse(readFileSync(file, "utf8"))) as Record<string, unknown>;
const facts = gzipSync(JSON.stringify({ paths, components }), { level: 9 });
writeFileSync(dataPath("published-api.json.gz"), facts);
process.stdout.write(`${facts.length} bytes\n`);
