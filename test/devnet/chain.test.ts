import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { decodeBlock } from "../../catapult/entity/block.js";
import { DevnetFixture } from "../support/devnet.js";

const LAST = 65;
const LIMITS = { maxBlocks: 1000, maxBytes: 100_000_000 };

describe("the chain of a devnet, as a client reads it", () => {
  let fixture: DevnetFixture;
  let startedAt: number;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
    startedAt = Date.now();
    await fixture.devnet.harvest(LAST - 1);
  });

  afterAll(() => fixture.stop());

  async function allBlocks(): Promise<Buffer[]> {
    const blocks: Buffer[] = [];
    while (blocks.length < LAST) blocks.push(...(await fixture.client.blocks(blocks.length + 1, LIMITS)));
    return blocks;
  }

  test("the statistics match the blocks", async () => {
    const blocks = (await allBlocks()).map((bytes) => decodeBlock(bytes, fixture.devnet.network));
    let score = 1n;
    for (const [index, block] of blocks.entries()) {
      const parent = blocks[index - 1];
      if (parent) score += block.difficulty - BigInt(Math.floor((block.timestamp - parent.timestamp) / 1000));
    }
    expect(await fixture.client.chainStatistics()).toEqual({
      height: LAST,
      finalizedHeight: 1,
      scoreHigh: 0n,
      scoreLow: score,
    });
  });

  test("hashes and blocks are cut at the limits of a node", async () => {
    const { client, devnet } = fixture;
    const hashes = await client.blockHashes(1, 10_000);
    expect(hashes).toEqual(Array.from({ length: LAST }, (_, index) => devnet.block(index + 1).hash));
    expect(await client.blockHashes(LAST - 1, 10)).toHaveLength(2);
    expect(await client.blockHashes(LAST + 1, 10)).toEqual([]);
    expect(await client.blocks(2, LIMITS)).toHaveLength(42);
    expect(await client.blocks(2, { ...LIMITS, maxBlocks: 3 })).toHaveLength(3);
    expect(await client.blocks(2, { ...LIMITS, maxBytes: 376 * 2 })).toHaveLength(2);
    expect(await client.blocks(1, { ...LIMITS, maxBytes: 1 })).toHaveLength(1);
    expect(await client.blocks(LAST + 1, LIMITS)).toEqual([]);
  });

  test("timestamps grow, and the last one is now", async () => {
    const { devnet } = fixture;
    for (let height = 2; height <= LAST; height += 1)
      expect(devnet.block(height).timestamp).toBeGreaterThan(devnet.block(height - 1).timestamp);
    const lastAt = devnet.rules.epochAdjustment * 1000 + devnet.block(LAST).timestamp;
    expect(lastAt).toBeGreaterThanOrEqual(startedAt);
    expect(lastAt).toBeLessThanOrEqual(Date.now() + LAST);
  });
});

test("the same seed gives the same nemesis block, another seed another one", async () => {
  const fixtures = await Promise.all(["one", "one", "two"].map((seed) => DevnetFixture.start({ seed })));
  try {
    const [first, second, third] = fixtures.map(({ devnet }) => devnet);
    expect(second?.block(1).hash).toEqual(first?.block(1).hash);
    expect(second?.publicKey).toEqual(first?.publicKey);
    expect(third?.block(1).hash).not.toEqual(first?.block(1).hash);
    expect(third?.generationHashSeed).not.toEqual(first?.generationHashSeed);
  } finally {
    await Promise.all(fixtures.map((fixture) => fixture.stop()));
  }
});

test("a devnet harvests by itself and finalizes blocks that are old enough", async () => {
  const finalization = { auto: true, lag: 2, interval: 1 };
  const fixture = await DevnetFixture.start({ autoHarvest: true, blockMs: 20, finalization });
  try {
    await new Promise<void>((resolve) =>
      fixture.devnet.events.on("finalizedBlock", ({ height }) => height >= 5 && resolve()),
    );
    const { height, finalizedHeight } = await fixture.client.chainStatistics();
    expect(height).toBeGreaterThanOrEqual(7);
    expect(finalizedHeight).toBe(height - 2);
  } finally {
    await fixture.stop();
  }
});
