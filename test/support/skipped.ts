import { test } from "@jest/globals";

/** How the name of a skipped test ends: the summary of a run lists names by these reasons. */
const MARK = " — skipped: ";

/** Counts as one skipped test, for one or more that cannot run here because of `reason`. */
export function skip(name: string, reason: string): void {
  test.skip(`${name}${MARK}${reason}`, () => undefined);
}

/** The name and the reason of a test that `skip` skipped; the reason is undefined for other tests. */
export function skippedBecause(fullName: string): { readonly name: string; readonly reason: string | undefined } {
  const [name = "", reason] = fullName.split(MARK);
  return { name, reason };
}
