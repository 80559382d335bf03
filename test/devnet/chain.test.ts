import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { derivePublicKey } from "../../catapult/crypto/signature.js";
import { verifyVrfProof } from "../../catapult/crypto/vrf.js";
import { decodeBlock } from "../../catapult/entity/block.js";
import { decodeStatement } from "../../catapult/entity/statement.js";
import { type ParentBlock, verifyBlock } from "../../catapult/verify/verify.js";
import { deriveDevnetKeys } from "../../devnet/network/keys.js";
import { nextDifficulty } from "../../ledger/header/difficulty.js";
import { DevnetFixture } from "../support/devnet.js";
import { RecordedChain } from "../support/recorded-chain.js";

const LAST = 65;
const LIMITS = { maxBlocks: 1000, maxBytes: 100_000_000 };

describe("the chain of a devnet, as a client reads it", () => {
  let fixture: DevnetFixture;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
    await fixture.devnet.harvest(LAST - 1);
  });

  afterAll(() => fixture.stop());

  async function allBlocks(): Promise<Buffer[]> {
    const blocks: Buffer[] = [];
    while (blocks.length < LAST) blocks.push(...(await fixture.client.blocks(blocks.length + 1, LIMITS)));
    return blocks;
  }

  test("every block has valid hashes and signatures", async () => {
    const { network } = fixture.devnet;
    let previous: ParentBlock | undefined;
    const executed = (await fixture.executed()).blocks;
    for (const [index, bytes] of (await allBlocks()).entries()) {
      const height = index + 1;
      const { statement: statementBytes, subCacheMerkleRoots } = executed[index]!;
      expect(subCacheMerkleRoots).toHaveLength(9);
      const block = verifyBlock({
        bytes,
        statementBytes,
        subCacheMerkleRoots,
        network,
        ...(previous && { previous }),
      });
      expect(block.height).toBe(height);
      previous = block;
    }
  });

  test("every block proves its generation hash with the harvester's VRF key", async () => {
    const { network } = fixture.devnet;
    const keys = deriveDevnetKeys("development");
    let alpha = network.generationHashSeed;
    for (const bytes of await allBlocks()) {
      const block = decodeBlock(bytes, network);
      const proof = block.entity.generationHashProof;
      const publicKey = block.height === 1 ? keys.nemesis.publicKey : keys.vrf.publicKey;
      const value = verifyVrfProof(proof, alpha, publicKey);
      expect(value?.subarray(0, 32)).toEqual(block.generationHash);
      alpha = block.generationHash;
    }
  });

  test("every twentieth block is an importance block that names the previous one", async () => {
    const { network } = fixture.devnet;
    const blocks = (await allBlocks()).map((bytes) => decodeBlock(bytes, network));
    let previousHash = blocks[0]?.hash;
    for (const block of blocks.slice(1)) {
      const { entity, height } = block;
      const { importance } = entity;
      expect(importance !== undefined).toBe(height % 20 === 0);
      if (!importance) continue;
      expect(importance.previousImportanceBlockHash).toEqual(previousHash);
      expect(importance.votingEligibleAccountsCount).toBe(1);
      expect(importance.harvestingEligibleAccountsCount).toBe(9n);
      expect(importance.totalVotingBalance).toBeGreaterThan(0n);
      previousHash = block.hash;
    }
    expect(previousHash).toEqual(blocks[59]?.hash);
  });

  test("the receipts of a block distribute the inflation", async () => {
    const { rules, accounts } = fixture.devnet;
    const keys = deriveDevnetKeys("development");
    const { transactionStatements } = decodeStatement((await fixture.executed()).blocks[1]!.statement);
    expect(transactionStatements).toHaveLength(1);
    const [harvester, sink, beneficiary, inflation, ...more] = transactionStatements[0]?.receipts ?? [];
    expect(more).toEqual([]);
    expect(harvester).toMatchObject({
      type: 0x2143,
      amount: (rules.inflation * 85n) / 100n,
      targetAddress: accounts.find(({ name }) => name === "harvester")?.address,
    });
    expect(sink).toMatchObject({ type: 0x2143, amount: (rules.inflation * 5n) / 100n });
    expect(beneficiary).toMatchObject({ type: 0x2143, amount: (rules.inflation * 10n) / 100n });
    expect(inflation).toMatchObject({ type: 0x5143, amount: rules.inflation });
    expect(derivePublicKey(keys.harvester.privateKey)).toEqual(fixture.devnet.publicKey);
  });

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
    const now = Date.now() - devnet.rules.epochAdjustment * 1000;
    expect(Math.abs(now - devnet.block(LAST).timestamp)).toBeLessThan(60_000);
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

test("the difficulty rule reproduces the difficulties of the recorded chain", () => {
  const chain = new RecordedChain();
  const blocks = chain.blocks().map(({ block }) => decodeBlock(block, chain.network));
  expect(blocks).toHaveLength(596);
  for (const [index, block] of blocks.entries()) {
    if (index === 0) continue;
    const expected = nextDifficulty(blocks.slice(Math.max(0, index - 60), index), { blockGenerationTargetTime: 5000 });
    expect({ height: block.height, difficulty: block.difficulty }).toEqual({
      height: block.height,
      difficulty: expected,
    });
  }
});
