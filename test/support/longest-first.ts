import { existsSync, statSync } from "node:fs";
import path from "node:path";

/**
 * The files that run longest, from the root of the tests: begun late, one of them would run alone at the end. The summary of
 * a run shows which they are.
 */
const LONGEST = [
  "indexer/main-network",
  "cli/backfill",
  "indexer/backfill",
  "indexer/backfill-execution",
  "indexer/state-recorded",
  "cli/program",
  "indexer/mempool-recorded-pulls",
  "gateway/silent-database",
  "cli/compare",
  "indexer/execution",
  "indexer/mempool-recorded-forks",
  "indexer/accepted-chain",
  "contract/random-walk",
  "cli/dev",
  "end-to-end/thousand-transfers",
  "indexer/backfill-votes",
  "cli/embedded-postgres",
  "schema/transaction-plans",
  "indexer/mempool-kill",
  "indexer/recorded-chain",
  "end-to-end/recorded-rest",
].map((name) => path.join(import.meta.dirname, "..", `${name}.test.js`));

interface TestFile {
  /** Of the compiled file. */
  readonly path: string;
}

interface Shard {
  readonly shardIndex: number;
  readonly shardCount: number;
}

/** Jest's sequencer: the longest files first, then the others by their sizes. */
export default class LongestFirst {
  sort<T extends TestFile>(tests: readonly T[]): T[] {
    const missing = LONGEST.filter((file) => !existsSync(file));
    if (missing.length > 0) throw new Error(`test/support/longest-first.ts names files that are absent: ${missing}`);
    const rank = (test: T) => (LONGEST.includes(test.path) ? LONGEST.indexOf(test.path) : LONGEST.length);
    const size = (test: T) => statSync(test.path).size;
    return tests.toSorted((left, right) => rank(left) - rank(right) || size(right) - size(left));
  }

  shard<T extends TestFile>(tests: readonly T[], { shardIndex, shardCount }: Shard): T[] {
    return this.sort(tests).filter((_, index) => index % shardCount === shardIndex - 1);
  }

  /** Nothing is kept from run to run. */
  allFailedTests<T extends TestFile>(tests: readonly T[]): readonly T[] {
    return tests;
  }

  cacheResults(): void {}
}
