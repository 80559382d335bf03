import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** `test/data`: the README there says what each file is, and where it comes from. */
const FOLDER = new URL("../../../test/data/", import.meta.url);

/** Path of a file or folder, such as `main-rules/resources`. */
export function dataPath(name: string): string {
  return fileURLToPath(new URL(name, FOLDER));
}

/** The bytes of a file, unpacked if its name ends with `.gz`. */
export function dataFile(name: string): Buffer {
  const bytes = readFileSync(dataPath(name));
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
}

/** The value of a JSON file. */
export function dataJson<T>(name: string): T {
  return JSON.parse(dataFile(name).toString("utf8")) as T;
}

/** The values of a file with one JSON value per line. */
export function dataLines<T>(name: string): T[] {
  const lines = dataFile(name).toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as T);
}
