// Copies the files of Swagger UI that `/docs` uses into `dist`, so that it needs no development package when it runs.
import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const folder = new URL("../dist/assets/swagger-ui/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const name of ["swagger-ui.css", "swagger-ui-bundle.js", "LICENSE", "NOTICE"]) {
  const source = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`);
  copyFileSync(source, fileURLToPath(new URL(name, folder)));
}
