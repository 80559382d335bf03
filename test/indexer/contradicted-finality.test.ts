import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { type Finalization, readHead, readIndexPoint } from "../../database/queries/head.js";
import { IndexerMetrics } from "../../indexer/metrics/metrics.js";
import { ChainRecording } from "../support/chain-recording.js";
import { checkIndex } from "../support/checked-index.js";
import { COMPARED_IF_EXECUTED, differences } from "../support/compare-databases.js";
import { fillExecuted } from "../support/fill-executed.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { historyOf } from "../support/recorded-history.js";
import { RecordedPeer } from "../support/recorded-peer.js";
import { until } from "../support/until.js";

interface Expected {
  readonly epoch: number;
  readonly point: number;
  /** Of the newest final block. */
  readonly height: number;
  readonly reason: RegExp;
}

const RECORDED: readonly (readonly [name: string, expected: Expected])[] = [
  [
    "finality-outside",
    {
      ...{ epoch: 5, point: 16, height: 166 },
      reason: /^Votes of epoch 5, point 16 made block 168 \(5736E90B[0-9A-F]{56}\) final, .* at height 167, that has /,
    },
  ],
  [
    "split",
    {
      ...{ epoch: 6, point: 13, height: 120 },
      reason: /^Votes of epoch 11, point 10 made block 236 \(E7BD1395[0-9A-F]{56}\) final, .* at height 232, that has /,
    },
  ],
];

describe.each(RECORDED)("where votes are for blocks outside the chain of all nodes (%s)", (name, expected) => {
  const chain = new ChainRecording(`voters/${name}`);
  const height = chain.blocks.length;
  const half = height >> 1;
  const execution = { configOf: () => chain.config };
  const indexes: IndexedDatabase[] = [];
  const log = new LogLines();
  let peer: RecordedPeer;
  let followed: IndexedDatabase;
  let counted: number;

  beforeAll(async () => {
    peer = await RecordedPeer.start(chain);
    followed = await createIndex();
    await follow(followed, height, log);
    const { text } = await metrics.print();
    counted = Number(/^symbol_indexer_contradicted_finalizations_total (\d+)$/m.exec(text)?.[1]);
  });

  afterAll(async () => {
    for (const index of indexes) await index.drop();
    await peer?.close();
  });

  async function createIndex(): Promise<IndexedDatabase> {
    const index = await IndexedDatabase.create();
    indexes.push(index);
    return index;
  }

  async function follow(index: IndexedDatabase, to: number, { logger } = log): Promise<void> {
    peer.reveal(to);
    await index.follow(peer.address, { execution, log: logger, metrics });
    await index.waitForHash(peer.hashAt(to));
    if (to === height) {
      await until(
        async () => expected.reason.test((await readIndexPoint(index.db)).unprovenFinalization ?? ""),
        "the contradiction is stored",
      );
    }
    await index.stop();
  }

  const fill = (index: IndexedDatabase, to = height, { logger } = new LogLines()) =>
    fillExecuted(index, chain.config, { nodes: [peer.address], to, log: logger, verify: "hashes" });

  async function expectSame(index: IndexedDatabase): Promise<void> {
    const { epoch, point, height: final } = expected;
    expect((await readHead(index.db))?.finalization).toMatchObject({ epoch, point, height: final });
    const { failure, unprovenFinalization } = await readIndexPoint(index.db);
    expect(failure).toBeNull();
    expect(unprovenFinalization).toMatch(expected.reason);
    expect(await differences(followed.url, index.url, COMPARED_IF_EXECUTED)).toEqual([]);
  }

  const metrics = new IndexerMetrics("test");

  test("the newest block of the chain that votes name is final, which is logged and counted", async () => {
    await expectSame(followed);
    const logged = log.matching(/Votes made a block final that is not in the chain/).length;
    expect(logged).toBeGreaterThan(0);
    expect(counted).toBe(logged);
  });

  /** Expects that a check finds no difference. @returns what it could not check, and why */
  async function expectClean(index: IndexedDatabase, sample?: number): Promise<readonly string[]> {
    const { found, left } = await checkIndex({ databaseUrl: index.url, nodes: [peer.address], execution, sample });
    expect(found).toEqual([]);
    return left;
  }

  const isContradiction = (reason: string) => expected.reason.test(reason.replace(/^finalization: /, ""));

  test("check finds no difference", async () => {
    peer.reveal(height);
    expect((await expectClean(followed)).filter(isContradiction)).toHaveLength(1);
  });

  test("a node that goes through all branches and rounds is followed, and check finds no difference after any finalization", async () => {
    const index = await createIndex();
    peer.reveal(1);
    await index.follow(peer.address, { execution, metrics });
    let known = 0;
    for (const moment of historyOf(chain)) {
      peer.show(moment);
      await index.waitForHash(peer.hashAt(peer.height));
      const final = newestOf(moment.proofs);
      const isOwn = !final || (final.height <= peer.height && peer.hashAt(final.height).equals(final.hash));
      if (final && isOwn) {
        const { epoch, point } = final;
        await index.waitFor(({ finalization }) => finalization.epoch === epoch && finalization.point === point);
      }
      const hasMoved = moment.proofs.length > known;
      known = moment.proofs.length;
      // Between a finalization and the next block.
      if (!hasMoved) continue;
      const left = await expectClean(index, 1);
      if (isOwn) expect(left).toEqual([]);
    }
    await expectClean(index);
    await until(
      async () => expected.reason.test((await readIndexPoint(index.db)).unprovenFinalization ?? ""),
      "the contradiction is stored",
    );
    await index.stop();
    await expectSame(index);
  }, 900_000);

  test("a filled index has the same", async () => {
    const index = await createIndex();
    const lines = new LogLines();
    peer.reveal(height);
    expect((await fill(index, height, lines))?.height).toBe(height);
    await expectSame(index);
    expect(lines.matching(/Votes made a block final that is not in the chain/)).not.toEqual([]);
  });

  test("an index that is filled to the half and then followed has the same", async () => {
    const index = await createIndex();
    peer.reveal(half);
    await fill(index, half);
    await follow(index, height);
    await expectSame(index);
  });

  test("an index that is followed to the half and then filled has the same", async () => {
    const index = await createIndex();
    await follow(index, half);
    peer.reveal(height);
    await fill(index);
    await expectSame(index);
  });

  test("an index that is rebuilt from its own blocks, and followed again, has the same", async () => {
    const index = await IndexedDatabase.copy(followed);
    indexes.push(index);
    await fillExecuted(index, chain.config, { source: "raw", verify: "hashes" });
    await follow(index, height);
    await expectSame(index);
  });
});

/** The block that the newest proof is for. */
function newestOf(proofs: readonly Buffer[]): Finalization | undefined {
  const newest = proofs.at(-1);
  return newest && decodeFinalizationProof(newest);
}
