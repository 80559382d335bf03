import path from "node:path";
import { LONG_FILES, OTHER_FILES, SAMPLED_FILES } from "./slow-files.js";

/** A long one that began last would run alone. */
const SECONDS: Readonly<Record<string, number>> = { ...LONG_FILES, ...OTHER_FILES, ...SAMPLED_FILES };

interface TestFile {
  readonly path: string;
}

/** Jest's order of files: without it, by their size until a run has left its durations in a cache. */
export default class LongestFirst {
  sort<T extends TestFile>(files: readonly T[]): T[] {
    return files.toSorted((left, right) => secondsOf(right) - secondsOf(left));
  }

  /** Jest requires these: nothing is kept of a run, so all files count as failed, and there are no shards. */
  cacheResults(): void {}

  allFailedTests<T>(files: readonly T[]): readonly T[] {
    return files;
  }

  shard<T>(files: readonly T[]): readonly T[] {
    return files;
  }
}

function secondsOf({ path: file }: TestFile): number {
  const name = path
    .relative(path.join(import.meta.dirname, ".."), file)
    .split(path.sep)
    .join("/");
  return SECONDS[name.replace(/\.test\.js$/, "")] ?? 0;
}
