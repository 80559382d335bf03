import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe } from "@jest/globals";
import { type Browser, chromium } from "playwright-core";
import { skip } from "./skipped.js";
import { isExecutable, lacking } from "./tools.js";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The program of an installed Chromium: CHROMIUM_PATH, or one on the PATH. */
function findBrowser(): string | undefined {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const places = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return [process.env.CHROMIUM_PATH ?? "", ...places].find((file) => file !== "" && isExecutable(file));
}

/** Starts a headless browser, in which `gateway.test` is this machine. */
export function startBrowser(executablePath: string): Promise<Browser> {
  const args = ["--host-resolver-rules=MAP gateway.test 127.0.0.1", "--disable-dev-shm-usage"];
  return chromium.launch({ executablePath, args, chromiumSandbox: process.getuid?.() !== 0 });
}

/** Tests that need a browser; without one, they count as one skipped test. */
export function describeIfBrowser(name: string, body: (executablePath: string) => void): void {
  const found = findBrowser();
  if (found) describe(name, () => body(found));
  else skip(name, lacking("chromium"));
}

/** Where a test may leave artifacts: `dist/test-artifacts/<name>`. */
export function artifact(name: string): string {
  const folder = fileURLToPath(new URL("../../test-artifacts/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  return path.join(folder, name);
}
