// Writes the files that browsers load into `dist/assets`, so that nothing else is needed when the program runs: those of
// Swagger UI for `/docs`, and the pages of the explorer with their scripts and styles, whose names have a digest.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../", import.meta.url));
const inRoot = (...names) => path.join(root, ...names);

/** Copies a file of a package. */
function copy(file, to) {
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(inRoot("node_modules", file), to);
}

for (const name of ["swagger-ui.css", "swagger-ui-bundle.js", "LICENSE", "NOTICE"])
  copy(`swagger-ui-dist/${name}`, inRoot("dist/assets/swagger-ui", name));

const pages = inRoot("dist/assets/dashboard");
rmSync(pages, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["explorer/dashboard/pages.js", "explorer/dashboard/pages.css"],
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  outdir: pages,
  bundle: true,
  minify: true,
  // What is imported when it is needed, the charts, is a file of its own.
  splitting: true,
  format: "esm",
  target: "es2023",
  charset: "utf8",
  metafile: true,
});
const names = Object.entries(metafile.outputs)
  .filter(([, { entryPoint }]) => entryPoint?.startsWith("explorer/dashboard/"))
  .map(([file, { entryPoint }]) => [path.basename(entryPoint), path.basename(file)]);
for (const page of ["index.html", "explorer.html"]) {
  const text = readFileSync(inRoot("explorer/dashboard", page), "utf8");
  const built = names.reduce((html, [name, file]) => html.replace(`dashboard/${name}"`, `dashboard/${file}"`), text);
  writeFileSync(path.join(pages, page), built);
}
for (const library of ["htm", "uplot"]) copy(`${library}/LICENSE`, path.join(pages, `LICENSE-${library}`));
