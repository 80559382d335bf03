import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { hex } from "../../catapult/entity/hex.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { backfill } from "../../indexer/backfill/backfill.js";
import { checkDatabase } from "../../indexer/check/check.js";
import type { FillStatus } from "../../indexer/metrics/fill-rate.js";
import { saveSnapshot } from "../../indexer/snapshot/save.js";
import {
  encodeHeader,
  encodeRecord,
  openSnapshot,
  readRecords,
  SnapshotError,
} from "../../indexer/snapshot/snapshot.js";
import { FinalizationProofError } from "../../ledger/finalization/verify-proof.js";
import { differences } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { describeRecorded } from "../support/describe-chains.js";
import { executableNetwork, generateExecutableChain } from "../support/executable-chain.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { recordedConfig } from "../support/known-networks.js";
import { executedIndex, RECORDED_FINALIZED, recordedProofs } from "../support/recorded-index.js";
import { SeededRandom } from "../support/seeded-random.js";
import { recordedStateOptions } from "../support/state-node.js";

const NEVER = new AbortController().signal;
const quietly = () => undefined;

/** Reads a file to its last block. @returns its records, and the message of the error that ended them */
async function read(file: string): Promise<{ blocks: Buffer[]; proofs: number[]; problem?: string }> {
  const [blocks, proofs]: [Buffer[], number[]] = [[], []];
  try {
    const snapshot = await openSnapshot(file);
    for await (const { bytes, epoch } of readRecords(snapshot)) {
      if (epoch === undefined) blocks.push(bytes);
      else proofs.push(epoch);
      if (blocks.length === snapshot.header.height) return { blocks, proofs };
    }
  } catch (error) {
    expect(error).toBeInstanceOf(SnapshotError);
    return { blocks, proofs, problem: (error as Error).message };
  }
  throw new Error("the records end without an error");
}

describeRecorded("a snapshot of the recorded chain", (chain) => {
  const config = recordedConfig(chain);
  const state = recordedStateOptions(config);
  const proofs = recordedProofs(chain);
  let index: IndexedDatabase;
  let directory: string;
  let file: string;
  let height: number;

  const save = (path: string) =>
    saveSnapshot({ databaseUrl: index.url, file: path, proofOf: async (epoch) => proofs.get(epoch) }, NEVER);

  async function restore(
    target: IndexedDatabase,
    path = file,
    signal = NEVER,
    onProgress: (status: FillStatus) => void = quietly,
  ) {
    return backfill(
      {
        databaseUrl: target.url,
        source: await openSnapshot(path),
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

  beforeAll(async () => {
    index = await executedIndex(chain);
    directory = await mkdtemp(join(tmpdir(), "symbol-gateway-snapshot-"));
    file = join(directory, "chain.snapshot");
    height = await save(file);
  }, 120_000);

  afterAll(async () => {
    await index?.drop();
    if (directory) await rm(directory, { recursive: true });
  });

  test("has every block, and the proofs before the blocks that they make final", async () => {
    const found = await read(file);
    expect(found.blocks).toHaveLength(height);
    expect(found.proofs).toEqual([...proofs.keys()].filter((epoch) => epoch > 1));
    const { rows } = await sql<{ bytes: string }>`select sum(length(block)) as bytes from raw_blocks`.execute(index.db);
    expect((await stat(file)).size).toBeLessThan(Number(rows[0]?.bytes));
    const first = (await readFile(file)).subarray(0, 200).toString("latin1").split("\n")[0]!;
    expect(JSON.parse(first)).toMatchObject({ height, finalizedHeight: RECORDED_FINALIZED.height });
  });

  test(
    "is restored into an empty database, also after a stop, with the same tables",
    () =>
      within(async (target) => {
        const stop = new AbortController();
        const first = await restore(target, file, stop.signal, (status) => status.height > 100 && stop.abort());
        expect(first?.height).toBeLessThan(height);
        const second = await restore(target);
        expect(second).toMatchObject({ height, blocks: height - (first?.height ?? 0) });
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
      }),
    180_000,
  );

  test("with a changed bit, or cut anywhere, is rejected, naming the block after which it cannot be read", async () => {
    const damaged = join(directory, "damaged.snapshot");
    const whole = await readFile(file);
    const { blocks } = await read(file);
    const random = new SeededRandom();
    for (let turn = 0; turn < 40; turn++) {
      const position = random.below(whole.length);
      const changed = Buffer.from(whole);
      changed[position]! ^= 1 << random.below(8);
      await writeFile(damaged, turn % 2 === 0 ? changed : whole.subarray(0, position));
      const { problem, ...found } = await read(damaged);
      // A bit that says nothing, such as the time in gzip's header, changes no block.
      expect(found.blocks.every((block, place) => block.equals(blocks[place]!))).toBe(true);
      if (turn % 2 === 1) expect({ position, problem }).toEqual({ position, problem: expect.any(String) });
      if (problem === undefined) continue;
      expect({ position, problem }).toEqual({
        position,
        problem: expect.stringMatching(
          new RegExp(
            `^(The snapshot cannot be read after block ${found.blocks.length}: |.* does not begin like a snapshot)`,
          ),
        ),
      });
    }
  }, 60_000);

  test("with a changed block, or a proof of other votes, is restored up to there", () =>
    within(async (target) => {
      const changed = join(directory, "changed.snapshot");
      const { header } = await openSnapshot(file);
      const { blocks } = await read(file);
      const other = Buffer.from(blocks[299]!);
      other[other.length - 5]! ^= 1;
      const records = blocks.with(299, other).map((block) => encodeRecord("block", block));
      await writeFile(changed, Buffer.concat([Buffer.from(encodeHeader(header)), gzipSync(Buffer.concat(records))]));
      await expect(restore(target, changed)).rejects.toThrow(/^block 300: /);
      const forged = Buffer.from(proofs.get(2)!);
      forged[forged.length - 1]! ^= 1;
      const [first, ...rest] = blocks.map((block) => encodeRecord("block", block));
      const content = gzipSync(Buffer.concat([first!, encodeRecord("proof", forged), ...rest]));
      await writeFile(changed, Buffer.concat([Buffer.from(encodeHeader(header)), content]));
      const empty = await IndexedDatabase.create();
      await expect(restore(empty, changed).finally(() => empty.drop())).rejects.toThrow(FinalizationProofError);
    }));

  test("is not continued in another chain, and never overwrites a file", () =>
    within(async (target) => {
      await expect(save(file)).rejects.toThrow(/EEXIST/);
      const stop = new AbortController();
      await restore(target, file, stop.signal, (status) => status.height > 100 && stop.abort());
      const { height: reached } = await target.db.selectFrom("head").select("height").executeTakeFirstOrThrow();
      const hash = Buffer.alloc(32, 1);
      await target.db.updateTable("blocks").set({ hash }).where("height", "=", reached).execute();
      await expect(restore(target)).rejects.toThrow(/another chain than the snapshot: restore into an empty one/);
    }));
});

/** A record's length and type. */
function frame(size: number): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32LE(size);
  start.writeUInt32LE(PacketType.pushBlock, 4);
  return start;
}

test("what is no snapshot, or has records that claim what they are not, is rejected in a sentence", async () => {
  const directory = await mkdtemp(join(tmpdir(), "symbol-gateway-snapshot-"));
  const file = join(directory, "crafted");
  const header = { networkIdentifier: 104, generationHashSeed: "0".repeat(64), height: 10, finalizedHeight: 1 };
  const line = (changes: object) =>
    Buffer.from(`${JSON.stringify({ ...JSON.parse(encodeHeader(header)), ...changes })}\n`);
  const packed = (...parts: readonly Buffer[]) => Buffer.concat([line({}), gzipSync(Buffer.concat(parts))]);
  const cases: readonly (readonly [Buffer, RegExp])[] = [
    ...[
      Buffer.alloc(0),
      Buffer.alloc(10 * 1024 * 1024, "x"),
      Buffer.from("null\n"),
      line({ height: -32 }),
      line({ height: null }),
      line({ finalizedHeight: 1.5 }),
      line({ networkIdentifier: 2 ** 40 }),
      line({ generationHashSeed: [] }),
      line({ format: "symbol-gateway snapshot 3" }),
      Buffer.from(JSON.stringify({ ...JSON.parse(encodeHeader(header)), padding: "x".repeat(5_000) })),
    ].map((bytes) => [bytes, /crafted does not begin like a snapshot of this version of the format$/] as const),
    [Buffer.from("symbol-gateway snapshot 1\n"), /crafted has a former format, which is not read: save it again$/],
    [line({}), /after block 0: /],
    [Buffer.concat([line({}), Buffer.alloc(100)]), /after block 0: incorrect header check$/],
    [packed(), /after block 0: it is incomplete$/],
    [packed(encodeRecord("block", Buffer.alloc(500)).subarray(0, 300)), /after block 0: it is incomplete$/],
    [packed(encodeRecord("block", Buffer.alloc(500)), frame(3)), /after block 1: .*size/],
    [packed(frame(2 ** 32 - 1), Buffer.alloc(100)), /after block 0: .*size/],
    [packed(frame(8)), /after block 0: a digest is wrong$/],
    [packed(encodeRecord("proof", Buffer.alloc(3))), /after block 0: .*finalization proof/],
  ];
  for (const [bytes, message] of cases) {
    await writeFile(file, bytes);
    expect((await read(file)).problem).toMatch(message);
  }
  await rm(directory, { recursive: true });
});

/** Blocks of the generated chain. */
const BLOCKS = 150;

test(`${BLOCKS} generated blocks are restored, saved and restored again with the same tables`, async () => {
  const chain = { blocks: BLOCKS, seed: 5, transactionsPerBlock: 2, accounts: 100, votingSetGrouping: 720 };
  const { network } = executableNetwork(chain);
  const directory = await mkdtemp(join(tmpdir(), "symbol-gateway-snapshot-"));
  const [first, second] = await Promise.all([IndexedDatabase.create(), IndexedDatabase.create()]);
  const [generated, saved] = [join(directory, "generated"), join(directory, "saved")];
  const proofs = new Map<number, Buffer>();
  const restore = async (file: string, target: IndexedDatabase) => {
    const source = await openSnapshot(file);
    const options = { databaseUrl: target.url, source, nodes: [], credentials: clientCredentials };
    const execution = { configOf: () => network.config };
    const report = await backfill({ ...options, log: silentLog, jobs: 2, verify: "hashes", execution }, NEVER);
    expect(report?.height).toBe(BLOCKS);
  };
  try {
    const records: Buffer[] = [];
    let proven = 0;
    for (const { block, proof } of generateExecutableChain(chain)) {
      records.push(encodeRecord("block", block));
      if (!proof || proof.epoch === 1) continue;
      proofs.set(proof.epoch, proof.bytes);
      records.splice(proven, 0, encodeRecord("proof", proof.bytes));
      proven = records.length;
    }
    const { identifier, generationHashSeed } = network.identity;
    const identity = { networkIdentifier: identifier, generationHashSeed: hex(generationHashSeed) };
    const header = encodeHeader({ ...identity, height: BLOCKS, finalizedHeight: 1 });
    await writeFile(generated, Buffer.concat([Buffer.from(header), gzipSync(Buffer.concat(records))]));
    await restore(generated, first);
    await saveSnapshot({ databaseUrl: first.url, file: saved, proofOf: async (epoch) => proofs.get(epoch) }, NEVER);
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
}, 120_000);
