import { availableParallelism } from "node:os";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { type BackfillOptions, type BackfillReport, backfill } from "../../indexer/backfill/backfill.js";
import { checkDatabase } from "../../indexer/check/check.js";
import type { BranchNode } from "../support/branch-node.js";
import { differences } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { describeRecorded } from "../support/describe-chains.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { knownExecution, recordedConfig } from "../support/known-networks.js";
import { LogLines } from "../support/log-lines.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { executedIndex, recordedBranchNode, recordedProofs } from "../support/recorded-index.js";
import { recordedNode } from "../support/recorded-node.js";
import { recordedStateOptions } from "../support/state-node.js";

const NEVER = new AbortController().signal;

describeRecorded("filling the index with the recorded chain", (chain) => {
  const recording = recordedNode(chain);
  const state = recordedStateOptions(recordedConfig(chain));
  const tip = recording.blocks.length;
  let node: BranchNode;
  let followed: IndexedDatabase;

  beforeAll(async () => {
    node = await recordedBranchNode(chain, recordedProofs(chain));
    followed = await executedIndex(chain);
  });

  afterAll(async () => {
    await followed?.drop();
    await node?.close();
  });

  function run(index: IndexedDatabase, options: Partial<BackfillOptions> = {}): Promise<BackfillReport | undefined> {
    return backfill(
      {
        databaseUrl: index.url,
        source: "node",
        nodes: [node.address],
        credentials: clientCredentials,
        log: silentLog,
        jobs: Math.min(2, availableParallelism()),
        verify: "hashes",
        state,
        execution: knownExecution,
        maxRetryMs: 100,
        ...options,
      },
      NEVER,
    );
  }

  async function within(work: (index: IndexedDatabase) => Promise<void>): Promise<void> {
    const index = await IndexedDatabase.create();
    try {
      await work(index);
    } finally {
      await index.drop();
    }
  }

  /** Follows until blocks and state are complete, as an indexer does afterwards. */
  async function followUp(index: IndexedDatabase): Promise<void> {
    await index.follow(node.address, { state });
    await index.waitForHash(node.hashAt(tip));
    await index.stop();
  }

  /** Differences in the database alone, and what could not be checked. */
  async function check({ url: databaseUrl }: IndexedDatabase) {
    const found: unknown[] = [];
    const report = (difference: unknown) => found.push(difference);
    const sample = 10;
    const options = { databaseUrl, credentials: clientCredentials, log: silentLog, state, sample, report };
    const { left } = await checkDatabase(options);
    return { found, left };
  }

  const eventsOf = async (index: IndexedDatabase) =>
    (await index.db.selectFrom("events").select("sequence").execute()).length;

  test(
    "equals, table by table, the result of following, and no events are emitted",
    () =>
      within(async (index) => {
        expect(await run(index, { verify: "full" })).toMatchObject({ height: tip, target: tip, blocks: tip });
        expect(await eventsOf(index)).toBe(0);
        expect(await check(index)).toEqual({ found: [], left: [] });
        expect(await differences(followed.url, index.url)).toEqual([]);
        expect(await run(index)).toMatchObject({ height: tip, blocks: 0 });
      }),
    120_000,
  );

  test(
    "continues after the index, up to the requested height",
    () =>
      within(async (index) => {
        expect(await run(index, { to: 100 })).toMatchObject({ height: 100, target: 100, blocks: 100 });
        await index.follow(node.address, { state });
        await index.waitFor(({ height }) => height >= 200);
        await index.stop();
        const { height } = await index.waitFor(() => true);
        expect(await run(index, { from: 50, verify: "hashes", jobs: 1 })).toMatchObject({
          height: tip,
          blocks: tip - height,
        });
        await followUp(index);
        expect(await differences(followed.url, index.url)).toEqual([]);
      }),
    120_000,
  );

  test(
    "takes the writer lock again and continues when its connections to the database are cut",
    () =>
      within(async (index) => {
        const log = new LogLines();
        const admin = new pg.Client({ connectionString: index.url });
        await admin.connect();
        const names = ["writer lock", "writer lock|backfill"];
        const cuts: Promise<unknown>[] = [];
        const failures = () => log.matching(/Backfill failed; trying again/);
        const onProgress = () => {
          const name = names[cuts.length];
          // Two cuts at the same moment are one failure.
          if (!name || failures().length < cuts.length) return;
          const cut = `select pg_terminate_backend(pid) from ${OWN_CONNECTIONS} where application_name ~ $1`;
          cuts.push(admin.query(cut, [`^symbol-gateway (${name})$`]));
        };
        const report = await run(index, { verify: "full", log: log.logger, onProgress });
        await Promise.all(cuts);
        await admin.end();
        expect(report).toMatchObject({ height: tip, target: tip });
        expect(failures().length).toBeGreaterThan(0);
        // The last cut may come when everything is written.
        expect([cuts.length, cuts.length - 1]).toContain(failures().length);
        await followUp(index);
        expect(await differences(followed.url, index.url)).toEqual([]);
      }),
    120_000,
  );

  test("is rebuilt from its own bytes, at once or in two parts", async () => {
    const index = await IndexedDatabase.copy(followed);
    try {
      expect(await run(index, { source: "raw", nodes: [] })).toMatchObject({ height: tip, blocks: tip });
      await followUp(index);
      expect(await differences(followed.url, index.url)).toEqual([]);
      await expect(run(index, { source: "raw", nodes: [], from: 301 })).rejects.toThrow(/--from must be 1, not 301/);
      expect(await run(index, { source: "raw", nodes: [], to: 200 })).toMatchObject({ height: 200, blocks: 200 });
      expect(await run(index, { source: "raw", nodes: [] })).toMatchObject({ height: tip, blocks: tip - 200 });
      await followUp(index);
      expect(await differences(followed.url, index.url)).toEqual([]);
    } finally {
      await index.drop();
    }
  });

  test("an index with an unfinished rebuild is followed over the bytes above it", async () => {
    const index = await IndexedDatabase.copy(followed);
    try {
      await run(index, { source: "raw", nodes: [], to: 350 });
      await followUp(index);
      expect(await differences(followed.url, index.url)).toEqual([]);
    } finally {
      await index.drop();
    }
  });

  test.each([
    [{ from: 2 }, /The index is at height 0, and there can be no gap: --from must be at most 1, not 2/],
    [{ from: 0 }, /The chain begins at height 1: --from must not be 0/],
    [{ from: 1, to: 597 }, /The node's chain ends at height 596: --to must not be 597/],
    [{ from: 1, to: 0 }, /--from \(1\) must not be above --to \(0\)/],
    [{ source: "raw" as const }, /The database has no bytes of blocks/],
  ])("rejects %j, and reports what would be valid", (options, message) =>
    within(async (index) => {
      await expect(run(index, options)).rejects.toThrow(message);
    }),
  );
});
