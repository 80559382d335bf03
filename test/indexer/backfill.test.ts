import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import type { BackfillOptions } from "../../indexer/backfill.js";
import type { BranchNode } from "../support/branch-node.js";
import { COMPARED_IF_EXECUTED, differences } from "../support/compare-databases.js";
import { describeRecorded } from "../support/describe-chains.js";
import { fillExecuted } from "../support/fill-executed.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { recordedConfig } from "../support/known-networks.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { executedIndex, RECORDED_FINALIZED, recordedBranchNode, recordedProofs } from "../support/recorded-index.js";
import { recordedNode } from "../support/recorded-node.js";

describeRecorded("filling the index by executing the recorded chain", (chain) => {
  const config = recordedConfig(chain);
  const execution = { configOf: () => config };
  const recording = recordedNode(chain);
  const blocks = recording.blocks.map(({ block }) => ({ block, statement: Buffer.alloc(0) }));
  const proofs = recordedProofs(chain);
  const tip = blocks.length;
  let node: BranchNode;
  let followed: IndexedDatabase;
  let filled: IndexedDatabase;

  const run = (index: IndexedDatabase, options: Partial<BackfillOptions> = {}, signal?: AbortSignal) =>
    fillExecuted(index, config, { nodes: [node.address], jobs: 2, verify: "hashes", ...options }, signal);

  async function within(work: (index: IndexedDatabase) => Promise<void>): Promise<void> {
    const index = await IndexedDatabase.create();
    try {
      await work(index);
    } finally {
      await index.drop();
    }
  }

  const headOf = (index: IndexedDatabase) =>
    index.db.selectFrom("head").select(["height", "finalized_height"]).executeTakeFirst();

  beforeAll(async () => {
    node = await recordedBranchNode(chain, proofs);
    followed = await executedIndex(chain);
    filled = await IndexedDatabase.create();
  });

  afterAll(async () => {
    await filled?.drop();
    await followed?.drop();
    await node?.close();
  });

  test("equals, table by table, the result of following, from blocks and proofs alone, without events", async () => {
    expect(await run(filled)).toMatchObject({ height: tip, target: tip, blocks: tip });
    expect(await headOf(filled)).toEqual({ height: tip, finalized_height: RECORDED_FINALIZED.height });
    expect(await differences(followed.url, filled.url, COMPARED_IF_EXECUTED)).toEqual([]);
    expect(await filled.db.selectFrom("events").select("sequence").limit(1).execute()).toEqual([]);
    expect(await run(filled)).toMatchObject({ height: tip, blocks: 0 });
    const final = filled.db
      .selectFrom("replaced_states")
      .select("height")
      .where("height", "<=", RECORDED_FINALIZED.height);
    expect(await final.execute()).toEqual([]);
  });

  test("is rebuilt from its own bytes, wherever the rebuild is interrupted, and can be followed", async () => {
    const index = await IndexedDatabase.copy(filled);
    filled = await IndexedDatabase.create();
    try {
      // Another statement, and no roots: both are computed again.
      const other = { statement: Buffer.alloc(12), sub_cache_merkle_roots: Buffer.alloc(0) };
      await index.db.updateTable("raw_blocks").set(other).where("height", "in", [5, tip]).execute();
      const raw = { source: "raw", nodes: [] } as const;
      expect(await run(index, { ...raw, to: 217 })).toMatchObject({ height: 217, blocks: 217 });
      expect(await headOf(index)).toMatchObject({ height: 217 });
      expect(await run(index, { ...raw, to: 301 })).toMatchObject({ height: 301, blocks: 84 });
      expect(await run(index, raw)).toMatchObject({ height: tip, blocks: tip - 301 });
      expect(await differences(followed.url, index.url)).toEqual([]);
      await expect(run(index, { ...raw, from: 300 })).rejects.toThrow(/--from must be 1, not 300/);
      await run(index, { ...raw, to: 400 });
      await index.follow(node.address, { execution });
      await index.waitForHash(node.hashAt(tip));
      await index.stop();
      expect(await differences(followed.url, index.url)).toEqual([]);
    } finally {
      await index.drop();
    }
  });

  test("continues after a follower and after being stopped anywhere, and can be followed", () =>
    within(async (index) => {
      await run(index, { to: 111 });
      await index.follow(node.address, { execution });
      await index.waitFor(({ height }) => height >= 150);
      await index.stop();
      for (let stops = 0; stops < 3; stops++) {
        const stop = new AbortController();
        await run(index, { onProgress: ({ height }) => height > 150 && stop.abort() }, stop.signal);
      }
      await run(index);
      await index.follow(node.address, { execution });
      await index.waitForHash(node.hashAt(tip));
      await index.stop();
      expect(await differences(followed.url, index.url)).toEqual([]);
    }));

  test("verifies the generation hash proofs of blocks that no votes prove", () =>
    within(async (index) => {
      const unproven = await recordedBranchNode(chain, new Map());
      try {
        const [at, offset] = [40, 0xc0];
        const wrong = blocks.map((one, i) => (i === at - 1 ? { ...one, block: flipped(one.block, offset) } : one));
        unproven.serve(wrong);
        await expect(run(index, { nodes: [unproven.address] })).rejects.toThrow(
          new RegExp(`block ${at}: generationHashProof is invalid`),
        );
        expect((await headOf(index))?.height).toBeLessThan(at);
      } finally {
        await unproven.close();
      }
    }));

  test("an indexer fills by itself what is far below the node's head, and follows the rest", () =>
    within(async (index) => {
      const shown: number[] = [];
      const onProgress = ({ height, target }: { height: number; target: number }) => shown.push(height, target);
      await index.follow(node.address, { limits: { eventBlocks: 100 }, onProgress });
      await index.waitForHash(node.hashAt(tip));
      await index.waitFor(({ finalization }) => finalization.height === RECORDED_FINALIZED.height);
      await index.stop();
      expect(shown.slice(-2)).toEqual([tip - 100, tip - 100]);
      const first = index.db.selectFrom("events").select("height").where("channel", "=", "block").orderBy("sequence");
      expect((await first.execute()).map(({ height }) => height)).toEqual(
        Array.from({ length: 100 }, (_, place) => tip - 99 + place),
      );
      expect(await differences(followed.url, index.url)).toEqual([]);
    }));

  test("takes the writer lock again and continues when its connections to the database are cut", () =>
    within(async (index) => {
      const admin = new pg.Client({ connectionString: index.url });
      await admin.connect();
      const names = ["writer lock", "writer lock|backfill"];
      const cuts: Promise<{ rowCount: number | null }>[] = [];
      const onProgress = ({ height }: { height: number }) => {
        const name = names[cuts.length];
        // Each comes when something was written, and something is left.
        if (!name || height < 200 * (cuts.length + 1) || height === tip) return;
        const cut = `select pg_terminate_backend(pid) from ${OWN_CONNECTIONS} where application_name ~ $1`;
        cuts.push(admin.query(cut, [`^symbol-gateway (${name})$`]));
      };
      const report = await run(index, { verify: "full", onProgress });
      const closed = (await Promise.all(cuts)).map(({ rowCount }) => rowCount ?? 0);
      await admin.end();
      expect(report).toMatchObject({ height: tip, target: tip });
      // At the second one, the lock that was lost may not be taken again yet.
      expect(closed).toEqual([1, expect.any(Number)]);
      expect(closed[1]).toBeGreaterThan(0);
      await index.follow(node.address, { execution });
      await index.waitForHash(node.hashAt(tip));
      await index.stop();
      expect(await differences(followed.url, index.url)).toEqual([]);
    }));

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

function flipped(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset);
  return copy;
}
