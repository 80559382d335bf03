import path from "node:path";

/** The files that take longest, in seconds on two processors. A long one that began last would run alone. */
const SECONDS: Readonly<Record<string, number>> = {
  "cli/compare": 46,
  "indexer/main-network": 45,
  "cli/backfill": 38,
  "indexer/state-recorded": 35,
  "cli/program": 29,
  "indexer/large-block": 28,
  "indexer/backfill": 26,
  "cli/dev": 25,
  "indexer/mempool-recorded-forks": 25,
  "indexer/claimed-scores": 24,
  "gateway/state-routes-recorded": 22,
  "ledger/recorded-chains": 21,
  "gateway/recorded-bodies": 21,
  "indexer/backfill-execution": 20,
  "indexer/recorded-peers": 20,
  "indexer/accepted-chain": 19,
  "client/waiting": 19,
  "gateway/silent-database": 18,
  "contract/contract": 18,
  "indexer/snapshot": 18,
  "indexer/state-walks": 17,
  "contract/random-walk": 16,
  "mesh/recorded": 16,
  "cli/package": 15,
  "indexer/overruled-checks": 15,
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
