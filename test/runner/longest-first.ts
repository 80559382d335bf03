import path from "node:path";

/** The files that take longest, in seconds on two processors. A long one that began last would run alone. */
const SECONDS: Readonly<Record<string, number>> = {
  "indexer/main-network": 39,
  "indexer/snapshot": 36,
  "cli/backfill": 36,
  "cli/compare": 30,
  "cli/program": 30,
  "cli/dev": 30,
  "ledger/recorded-chains": 29,
  "schema/transaction-plans": 25,
  "cli/embedded-postgres": 25,
  "indexer/backfill": 25,
  "contract/random-walk": 25,
  "gateway/state-routes-recorded": 24,
  "cli/snapshot": 22,
  "indexer/recorded-peers": 20,
  "schema/search": 20,
  "gateway/places": 20,
  "gateway/silent-database": 19,
  "contract/contract": 19,
  "indexer/check": 18,
  "end-to-end/drops": 18,
  "end-to-end/announcement-walk": 14,
  "end-to-end/kill": 13,
  "mesh/recorded": 13,
};

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
