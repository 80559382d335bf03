import { readFileSync } from "node:fs";

/** The program's own version: `package.json` is beside the folder of compiled files. */
export function programVersion(): string {
  const file = new URL("../../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
