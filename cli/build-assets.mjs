// Writes the files that browsers load into `dist/assets`, so that nothing else is needed when the program runs: those of
// Swagger UI for `/docs`, GraphiQL, and the page of the explorer with its scripts and styles, whose names have a digest.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { renderGraphiQL } from "@graphql-yoga/render-graphiql";
import { build, transform } from "esbuild";

const root = fileURLToPath(new URL("../", import.meta.url));
const inRoot = (...names) => path.join(root, ...names);
const [docs, explorer, graphiql] = ["docs", "explorer", "graphiql"].map((name) => inRoot("dist/assets", name));
for (const folder of [docs, explorer, graphiql]) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}
const copy = (file, to) => copyFileSync(inRoot("node_modules", file), to);

const swaggerFiles = ["index.html", "index.css", "swagger-ui.css", "swagger-ui-bundle.js", "LICENSE", "NOTICE"];
for (const name of [...swaggerFiles, "swagger-ui-standalone-preset.js", "favicon-16x16.png", "favicon-32x32.png"])
  copy(`swagger-ui-dist/${name}`, path.join(docs, name));
// Its own file with another address.
const initializer = readFileSync(inRoot("node_modules/swagger-ui-dist/swagger-initializer.js"), "utf8");
const withUrl = initializer.replace(
  /url: "[^"]*"/,
  'url: "../openapi.json", validatorUrl: null, responseInterceptor: withOwnExamples',
);
if (withUrl === initializer) throw new Error("swagger-initializer.js of swagger-ui-dist has no url to replace");
const examples = readFileSync(inRoot("explorer/reference-examples.js"), "utf8");
writeFileSync(path.join(docs, "swagger-initializer.js"), examples + withUrl);

const BROWSERS = ["chrome88", "edge88", "firefox84", "safari14.1"];
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["explorer/browser/main.js", "explorer/browser/main.css"],
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  outdir: explorer,
  bundle: true,
  minify: true,
  // What is imported when it is needed, the charts, is a file of its own.
  splitting: true,
  format: "esm",
  // docs/explorer.md names these browsers.
  target: BROWSERS,
  charset: "utf8",
  metafile: true,
});
const names = Object.entries(metafile.outputs)
  .filter(([, { entryPoint }]) => entryPoint?.startsWith("explorer/browser/"))
  .map(([file, { entryPoint }]) => [path.basename(entryPoint), path.basename(file)]);
const page = readFileSync(inRoot("explorer/index.html"), "utf8");
// What is in the page itself.
const retry = await transform(readFileSync(inRoot("explorer/retry.js"), "utf8"), { minify: true, target: BROWSERS });
const mark = readFileSync(inRoot("explorer/mark.svg"), "utf8").trim();
const built = names
  .reduce((html, [name, file]) => html.replace(`explorer/${name}"`, `explorer/${file}"`), page)
  .replace("<!-- retry -->", () => `<script>${retry.code.trim()}</script>`)
  .replace("<!-- mark -->", mark);
copyFileSync(inRoot("explorer/mark.svg"), path.join(explorer, "mark.svg"));
writeFileSync(path.join(explorer, "index.html"), built);
for (const library of ["htm", "uplot"]) copy(`${library}/LICENSE`, path.join(explorer, `LICENSE-${library}`));

// The initial query of GraphiQL; docs/graphql.md has ten more.
const defaultQuery = `# Ctrl-Enter runs the query, Ctrl-Space completes. More queries: docs/graphql.md\n{\n  indexStatus { height nodeHeight blocksBehind secondsBehind }\n  finalizationLag { blocks seconds }\n  blocks(first: 3) {\n    data {\n      height\n      harvester { address }\n      transactions(first: 5) { data { hash type fee signer { address } } }\n    }\n  }\n}\n`;
const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';
const ide = renderGraphiQL({ title: "symbol-gateway", defaultQuery }).replace("<head>", `<head>${viewport}`);
writeFileSync(path.join(graphiql, "index.html"), ide);
