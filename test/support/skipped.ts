import { test } from "@jest/globals";
import { skippedName } from "./skipped-name.js";

/** Counts as one skipped test, in place of one or more that cannot run here because of `reason`. */
export function skip(name: string, reason: string): void {
  test.skip(skippedName(name, reason), () => undefined);
}
