import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe } from "@jest/globals";
import { skip } from "./skipped.js";

/** Data of others, beside the project's root: not part of the project, and absent in a user's clone. */
const FOLDER = new URL("../../../../shared/", import.meta.url);

/** Path of a file or folder, such as `spec/gateway.md`, whether it exists or not. */
export function sharedPath(name: string): string {
  return fileURLToPath(new URL(name, FOLDER));
}

export function isShared(name: string): boolean {
  return existsSync(sharedPath(name));
}

/** The bytes of a file; throws if it is absent. */
export function sharedFile(name: string): Buffer {
  return readFileSync(sharedPath(name));
}

/** The value of a JSON file; throws if it is absent. */
export function sharedJson<T>(name: string): T {
  return JSON.parse(sharedFile(name).toString("utf8")) as T;
}

/** Why tests that need it are skipped. */
export function absent(name: string): string {
  return `../shared/${name} is absent`;
}

/** Tests that need a shared file or folder; if it is absent, they count as one skipped test. */
export function describeIfShared(name: string, file: string, body: () => void): void {
  if (isShared(file)) describe(name, body);
  else skip(name, absent(file));
}
