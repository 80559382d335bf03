// Writes the files that browsers load into `dist/assets`, so that nothing else is needed when the program runs: Swagger UI
// in a page of our own for `/docs`, GraphiQL, and the page of the explorer with its scripts and styles, whose names have a digest.
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

for (const name of ["swagger-ui.css", "swagger-ui-bundle.js", "LICENSE", "NOTICE"])
  copy(`swagger-ui-dist/${name}`, path.join(docs, name));
const mark = readFileSync(inRoot("explorer/mark.svg"), "utf8").trim();
const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';
const style = `
  body { margin: 0; background: #f4f3f8; }
  header { display: flex; gap: 0.5rem; align-items: center; padding: 0.5rem 1.5rem; font: 700 1.125rem system-ui, sans-serif;
    background: #fff; border-bottom: 1px solid #e5e2ee; }
  .swagger-ui, .swagger-ui :is(.info, .opblock-tag, .opblock) :is(.title, h1, h2, h3, h4, p, a, li, span:not(.opblock-summary-path *)) {
    font-family: system-ui, sans-serif; }
  .swagger-ui .scheme-container { padding: 0.5rem 0; background: none; box-shadow: none; }
  .swagger-ui .info { margin: 1.5rem 0 0; }
  .swagger-ui .btn.execute { background: #6d28d9; border-color: #6d28d9; }
  .swagger-ui .opblock { background: #fff; box-shadow: none; border-radius: 0.375rem; }
  .dark-mode body { color: #efedf6; }
  .dark-mode :is(body, #swagger-ui, #swagger-ui .swagger-ui, #swagger-ui .scheme-container) { background: #0f0d15; }
  .dark-mode :is(header, .swagger-ui .opblock) { background: #191622; border-color: #332e43; }
  @media (max-width: 48rem) {
    .swagger-ui .opblock-summary-description { display: none; }
    .swagger-ui .wrapper { padding: 0 0.5rem; }
    .swagger-ui table { display: block; overflow-x: auto; }
  }`;
writeFileSync(
  path.join(docs, "index.html"),
  `<!doctype html><html lang="en"><head><meta charset="utf-8">${viewport}<title>REST interface · symbol-gateway</title>
<link rel="icon" type="image/svg+xml" href="../favicon.ico"><link rel="stylesheet" href="./swagger-ui.css"><style>${style}</style></head>
<body><header>${mark}symbol-gateway</header><main id="swagger-ui"></main>
<script src="./swagger-ui-bundle.js"></script><script src="./swagger-initializer.js"></script></body></html>
`,
);
const initializer = `
document.documentElement.classList.toggle("dark-mode", matchMedia("(prefers-color-scheme: dark)").matches);
globalThis.SwaggerUIBundle({ url: "../openapi.json", dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null,
  presets: [globalThis.SwaggerUIBundle.presets.apis], responseInterceptor: globalThis.withOwnExamples });
`;
const examples = readFileSync(inRoot("explorer/reference-examples.js"), "utf8");
writeFileSync(path.join(docs, "swagger-initializer.js"), examples + initializer);

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
const built = names
  .reduce((html, [name, file]) => html.replace(`explorer/${name}"`, `explorer/${file}"`), page)
  .replace("<!-- retry -->", () => `<script>${retry.code.trim()}</script>`)
  .replace("<!-- mark -->", mark)
  .replace("<!-- icon -->", `data:image/svg+xml,${encodeURIComponent(mark)}`);
copyFileSync(inRoot("explorer/mark.svg"), path.join(explorer, "mark.svg"));
writeFileSync(path.join(explorer, "index.html"), built);
for (const library of ["htm", "uplot"]) copy(`${library}/LICENSE`, path.join(explorer, `LICENSE-${library}`));

// The initial query of GraphiQL; docs/graphql.md has ten more.
const defaultQuery = `# Ctrl-Enter runs the query, Ctrl-Space completes. More queries: docs/graphql.md\n{\n  indexStatus { height nodeHeight blocksBehind secondsBehind }\n  finalizationLag { blocks seconds }\n  blocks(first: 3) {\n    data {\n      height\n      harvester { address }\n      transactions(first: 5) { data { hash type fee signer { address } } }\n    }\n  }\n}\n`;
const ide = renderGraphiQL({ title: "symbol-gateway", defaultQuery }).replace("<head>", `<head>${viewport}`);
writeFileSync(path.join(graphiql, "index.html"), ide);
