import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "@jest/globals";

/** A folder of a test file, or of a `describe`: it is removed after its tests, when `end` has ended what uses it. */
export function temporaryFolder(end: () => unknown = () => undefined): string {
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-test-"));
  afterAll(async () => {
    await end();
    rmSync(folder, { recursive: true });
  });
  return folder;
}
