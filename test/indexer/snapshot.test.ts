import { copyFile, mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import { backfill } from "../../indexer/backfill/backfill.js";
import { checkDatabase } from "../../indexer/check/check.js";
import type { FillStatus } from "../../indexer/metrics/fill-rate.js";
import { encodeChunk, isChunk, type StoredBlock } from "../../indexer/snapshot/block-chunk.js";
import { SnapshotError } from "../../indexer/snapshot/errors.js";
import { FrameReader, FrameWriter } from "../../indexer/snapshot/frame.js";
import { restoreTables } from "../../indexer/snapshot/restore-tables.js";
import { type SaveOptions, type SaveReport, saveSnapshot } from "../../indexer/snapshot/save.js";
import { Snapshot } from "../../indexer/snapshot/snapshot.js";
import { differences } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { executableNetwork, generateExecutableChain } from "../support/executable-chain.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { describeRecorded } from "../support/recorded-chain.js";
import { executedIndex, RECORDED_FINALIZED, recordedProofs } from "../support/recorded-index.js";
import { SeededRandom } from "../support/seeded-random.js";
import { recordedConfig, recordedStateOptions } from "../support/state-node.js";

const NEVER = new AbortController().signal;
const quietly = () => undefined;

describeRecorded("a snapshot of the recorded chain", (chain) => {
  const config = recordedConfig(chain);
  const state = recordedStateOptions(config);
  const proofs = recordedProofs(chain);
  let index: IndexedDatabase;
  let directory: string;
  let file: string;
  let report: SaveReport;

  const save = (options: Partial<SaveOptions> & Pick<SaveOptions, "file">) =>
    saveSnapshot(
      {
        databaseUrl: index.url,
        program: "0.0.0",
        content: "blocks",
        log: silentLog,
        proofOf: async (epoch) => proofs.get(epoch),
        onProgress: quietly,
        ...options,
      },
      NEVER,
    );

  async function verified(path: string): Promise<Snapshot> {
    const snapshot = await Snapshot.open(path);
    try {
      await snapshot.verify(quietly);
      return snapshot;
    } catch (error) {
      await snapshot.close();
      throw error;
    }
  }

  function restoreBlocks(
    target: IndexedDatabase,
    snapshot: Snapshot,
    signal = NEVER,
    onProgress: (figures: FillStatus) => void = quietly,
  ) {
    return backfill(
      {
        databaseUrl: target.url,
        source: snapshot,
        nodes: [],
        credentials: clientCredentials,
        log: silentLog,
        jobs: 2,
        verify: "hashes",
        state,
        execution: { configOf: () => config },
        onProgress,
      },
      signal,
    );
  }

  async function within(work: (target: IndexedDatabase) => Promise<void>): Promise<void> {
    const target = await IndexedDatabase.create();
    try {
      await work(target);
    } finally {
      await target.drop();
    }
  }

  async function expectSame(target: IndexedDatabase): Promise<void> {
    expect(await differences(index.url, target.url)).toEqual([]);
    const checked = await checkDatabase({
      databaseUrl: target.url,
      credentials: clientCredentials,
      log: silentLog,
      state,
      sample: 50,
      report: (difference) => expect(difference).toBeUndefined(),
    });
    expect([checked.differences, checked.checked.get("state trees")]).toEqual([0, 9]);
    const head = await target.db.selectFrom("head").select("finalized_height").executeTakeFirst();
    expect(head?.finalized_height).toBe(RECORDED_FINALIZED.height);
  }

  beforeAll(async () => {
    index = await executedIndex(chain);
    directory = await mkdtemp(join(tmpdir(), "symbol-gateway-snapshot-"));
    file = join(directory, "chain.snapshot");
    report = await save({ file });
  }, 120_000);

  afterAll(async () => {
    await index?.drop();
    if (directory) await rm(directory, { recursive: true });
  });

  test(
    "of blocks and proofs is restored into an empty database, also after a stop, with the same tables",
    () =>
      within(async (target) => {
        expect(report.proofs).toBe(RECORDED_FINALIZED.epoch - 1);
        const snapshot = await verified(file);
        try {
          const stop = new AbortController();
          const stopEarly = ({ height }: { height: number }) => height > 100 && stop.abort();
          const first = await restoreBlocks(target, snapshot, stop.signal, stopEarly);
          expect(first?.height).toBeLessThan(report.height);
          const second = await restoreBlocks(target, snapshot);
          expect(second).toMatchObject({ height: report.height, blocks: report.height - (first?.height ?? 0) });
        } finally {
          await snapshot.close();
        }
        await expectSame(target);
        const { rows } = await sql<{ bytes: string }>`select sum(length(block)) as bytes from raw_blocks`.execute(
          target.db,
        );
        expect(report.bytes).toBeLessThan(Number(rows[0]?.bytes));
      }),
    180_000,
  );

  test(
    "of all tables is restored by copying, and rejected if they are not those of the chain",
    () =>
      within(async (target) => {
        const full = join(directory, "full.snapshot");
        await save({ file: full, content: "tables" });
        const snapshot = await verified(full);
        const restore = () =>
          restoreTables({ databaseUrl: target.url, snapshot, log: silentLog, onProgress: quietly }, NEVER);
        try {
          await restore();
          await expectSame(target);
          await expect(restore()).rejects.toThrow(/has an index at height \d+: restore into an empty one/);
        } finally {
          await snapshot.close();
        }
        const [account] = await target.db.selectFrom("accounts").select(["address", "value"]).limit(1).execute();
        const value = Buffer.from(account!.value);
        value[value.length - 1]! ^= 1;
        await target.db.updateTable("accounts").set({ value }).where("address", "=", account!.address).execute();
        await expect(save({ file: `${full}.2`, content: "tables", databaseUrl: target.url })).rejects.toThrow(
          /^The tables are not those of the chain: accounts sub-cache=account: the root of/,
        );
      }),
    180_000,
  );

  test("with one byte changed is rejected, naming the block", async () => {
    const damaged = join(directory, "damaged.snapshot");
    const { size } = await stat(file);
    const reader = await FrameReader.open(file);
    let place = 0;
    for (let position = reader.start; place === 0; ) {
      const { frame, next } = await reader.read(position, "");
      position = next;
      if (!isChunk(frame) || frame.meta.to < 300) continue;
      const before = frame.meta.lengths.slice(0, 300 - frame.meta.from).reduce((sum, length) => sum + length, 0);
      place = next - 32 - frame.meta.bytes + before + 5;
    }
    await reader.close();
    const messageAt = async (position: number): Promise<string> => {
      await copyFile(file, damaged);
      const handle = await open(damaged, "r+");
      const byte = Buffer.alloc(1);
      await handle.read(byte, 0, 1, position);
      byte[0]! ^= 1 << (position % 8);
      await handle.write(byte, 0, 1, position);
      await handle.close();
      return verified(damaged).then(
        () => "accepted",
        (error: unknown) => (error instanceof SnapshotError ? error.message : String(error)),
      );
    };
    expect(await messageAt(place)).toBe("Block 300 was changed in the snapshot: its bytes do not have their checksum");
    const random = new SeededRandom();
    for (let turn = 0; turn < 40; turn++) {
      const position = random.below(size);
      const message = await messageAt(position);
      expect({ position, message }).toEqual({
        position,
        message: expect.stringMatching(/^(Block \d+ was changed|The snapshot|A digest of|.*is not a snapshot)/),
      });
    }
    for (const missing of [1, 100, size - 100]) {
      await copyFile(file, damaged);
      const handle = await open(damaged, "r+");
      await handle.truncate(size - missing);
      await handle.close();
      await expect(verified(damaged)).rejects.toThrow(/incomplete|is damaged|is not a snapshot/);
    }
  }, 60_000);

  test("is not restored over another chain, and never overwrites a file", () =>
    within(async (target) => {
      await expect(save({ file })).rejects.toThrow(/exists already/);
      const other = Buffer.alloc(32, 1);
      const snapshot = await verified(file);
      const seed = Buffer.from(snapshot.header.generationHashSeed, "hex");
      await target.db
        .insertInto("head")
        .values({
          id: 1,
          height: 5,
          hash: other,
          score: 1n,
          finalized_epoch: 0,
          finalized_point: 0,
          finalized_height: 0,
          finalized_hash: other,
          event_sequence: 0,
          network_identifier: snapshot.header.networkIdentifier,
          generation_hash_seed: seed,
        })
        .execute();
      await expect(restoreBlocks(target, snapshot)).rejects.toThrow(/has another chain, at height 5/);
      await snapshot.close();
    }));
});

/** Blocks of the generated chain; a hundred thousand by `TEST_SNAPSHOT_BLOCKS=100000`. */
const BLOCKS = Number(process.env.TEST_SNAPSHOT_BLOCKS ?? 150);

test(`${BLOCKS} generated blocks are restored, saved and restored again with the same tables`, async () => {
  const chain = { blocks: BLOCKS, seed: 5, transactionsPerBlock: 2, accounts: 100, votingSetGrouping: 720 };
  const { network } = executableNetwork(chain);
  const directory = await mkdtemp(join(tmpdir(), "symbol-gateway-snapshot-"));
  const [first, second] = await Promise.all([IndexedDatabase.create(), IndexedDatabase.create()]);
  const [generated, saved] = [join(directory, "generated"), join(directory, "saved")];
  const proofs = new Map<number, Buffer>();
  const restore = async (file: string, target: IndexedDatabase) => {
    const snapshot = await Snapshot.open(file);
    await snapshot.verify(quietly);
    const options = { databaseUrl: target.url, source: snapshot, nodes: [], credentials: clientCredentials };
    const execution = { configOf: () => network.config };
    const report = await backfill({ ...options, log: silentLog, jobs: 2, verify: "hashes", execution }, NEVER);
    await snapshot.close();
    expect(report?.height).toBe(BLOCKS);
  };
  try {
    const writer = await FrameWriter.create(generated);
    const chunks: { meta: object; body: Buffer }[] = [];
    let blocks: StoredBlock[] = [];
    let hash: Buffer = Buffer.alloc(0);
    const none = Buffer.alloc(0);
    for (const { height, block, proof, ...rest } of generateExecutableChain(chain)) {
      blocks.push({ bytes: block, statement: none, subCacheMerkleRoots: none });
      hash = rest.hash;
      if (proof && proof.epoch > 1) proofs.set(proof.epoch, proof.bytes);
      if (blocks.length < 256 && height < BLOCKS) continue;
      chunks.push(await encodeChunk(height - blocks.length + 1, blocks));
      blocks = [];
    }
    const { identifier, generationHashSeed } = network.identity;
    const header = { content: "blocks", program: "0.0.0", height: BLOCKS, hash: hex(hash), hasStatements: false };
    const identity = { networkIdentifier: identifier, generationHashSeed: hex(generationHashSeed), migrations: [] };
    await writer.write({ kind: "header", ...header, ...identity }, none);
    for (const [epoch, bytes] of proofs) await writer.write({ kind: "proof", epoch }, bytes);
    for (const { meta, body } of chunks) await writer.write({ kind: "blocks", ...meta }, body);
    await writer.write({ kind: "end" }, none);
    await writer.end();
    await restore(generated, first);
    const program = { program: "0.0.0", content: "blocks", log: silentLog, onProgress: quietly } as const;
    const proofOf = async (epoch: number) => proofs.get(epoch);
    await saveSnapshot({ databaseUrl: first.url, file: saved, ...program, proofOf }, NEVER);
    await restore(saved, second);
    expect(await differences(first.url, second.url)).toEqual([]);
    const checked = await checkDatabase({
      databaseUrl: second.url,
      credentials: clientCredentials,
      log: silentLog,
      report: (difference) => expect(difference).toBeUndefined(),
    });
    expect([checked.differences, checked.checked.get("state trees")]).toEqual([0, 9]);
  } finally {
    await Promise.all([first.drop(), second.drop()]);
    await rm(directory, { recursive: true });
  }
}, 7_200_000);
