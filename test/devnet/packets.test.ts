import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ConnectionClosedError } from "../../catapult/wire/errors.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { DevnetFixture } from "../support/devnet.js";
import { SeededRandom } from "../support/seeded-random.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";

const HEIGHT = 5;

describe("the packets of a devnet's node", () => {
  let fixture: DevnetFixture;

  beforeAll(async () => {
    fixture = await DevnetFixture.start();
    await fixture.devnet.harvest(HEIGHT - 1);
  });

  afterAll(() => fixture.stop());

  test("node info describes the node", async () => {
    const { devnet, client } = fixture;
    expect(await client.nodeInfo()).toEqual({
      version: 0x01000308,
      publicKey: devnet.publicKey,
      networkGenerationHashSeed: devnet.generationHashSeed,
      roles: 0x47,
      port: devnet.port,
      networkIdentifier: 152,
      host: "127.0.0.1",
      friendlyName: "devnet",
      // The key of its certificate, not of its account.
      nodePublicKey: expect.any(Buffer),
    });
    expect(client.connectedNode?.publicKey).toEqual(devnet.publicKey);
    expect(await client.peers()).toEqual([]);
    expect(await client.unlockedAccounts()).toHaveLength(1);
  });

  test("time is that of the network", async () => {
    const now = () => Date.now() - fixture.devnet.rules.epochAdjustment * 1000;
    const before = now();
    const { sendTimestamp, receiveTimestamp } = await fixture.client.time();
    expect(receiveTimestamp).toBeGreaterThanOrEqual(before);
    expect(sendTimestamp).toBeLessThanOrEqual(now());
    expect(receiveTimestamp).toBeLessThanOrEqual(sendTimestamp);
  });

  test("a single block is requested by height, the last one by 0", async () => {
    const connection = await fixture.connect();
    const [third] = await fixture.client.blocks(3, { maxBlocks: 1, maxBytes: 1 });
    const [last] = await fixture.client.blocks(HEIGHT, { maxBlocks: 1, maxBytes: 1 });
    expect(await connection.request(PacketType.pullBlock, uint64(3))).toEqual(third);
    expect(await connection.request(PacketType.pullBlock, uint64(0))).toEqual(last);
    expect(await connection.request(PacketType.pullBlock, uint64(HEIGHT + 1))).toHaveLength(0);
    await connection.close();
  });

  test("heights of 0 and beyond the chain get an empty answer", async () => {
    const connection = await fixture.connect();
    expect(await connection.request(PacketType.pullBlock, Buffer.alloc(8, 0xff))).toHaveLength(0);
    expect(await connection.request(PacketType.blockHashes, Buffer.alloc(12))).toHaveLength(0);
    expect(await connection.request(PacketType.pullBlocks, Buffer.alloc(16))).toHaveLength(0);
    await connection.close();
  });

  test("requests are answered in order", async () => {
    const heights = Array.from({ length: 300 }, (_, index) => 1 + (index % HEIGHT));
    const hashes = await Promise.all(heights.map((height) => fixture.client.blockHashes(height, 1)));
    expect(hashes.flat()).toEqual(heights.map((height) => fixture.devnet.block(height).hash));
  });

  test.each([
    ["requests of chain statistics", PacketType.chainStatistics, 1],
    ["requests of hashes", PacketType.blockHashes, 8],
    ["requests of blocks", PacketType.pullBlocks, 12],
    ["requests of a block", PacketType.pullBlock, 0],
    ["requests of unconfirmed transactions", PacketType.pullTransactions, 13],
    ["requests of partial transactions", PacketType.pullPartialTransactionInfos, 0],
    ["requests of finalization statistics", PacketType.finalizationStatistics, 4],
    ["requests of proofs by epoch", PacketType.finalizationProofAtEpoch, 8],
    ["requests of proofs by height", PacketType.finalizationProofAtHeight, 4],
    ["requests of the time", PacketType.timeSyncNetworkTime, 8],
    ["pushed transactions", PacketType.pushTransactions, 100],
    ["pushed blocks", PacketType.pushBlock, 0],
  ])("%s of a wrong size get no answer, and the connection stays", async (_, type, size) => {
    const connection = await fixture.connect();
    await connection.push(type, Buffer.alloc(size));
    // an answer to the first packet would arrive before that to the second, and would close the connection
    expect(await connection.request(PacketType.timeSyncNetworkTime)).toHaveLength(16);
    await connection.close();
  });

  test.each([0, 1, 0x999, 0xffff_ffff])("the packet type %i closes the connection", async (type) => {
    const connection = await fixture.connect();
    await expect(connection.request(type)).rejects.toThrow(ConnectionClosedError);
    expect((await fixture.client.chainStatistics()).height).toBe(HEIGHT);
  });

  test("transactions with random changes do no harm", async () => {
    const random = new SeededRandom();
    const { devnet } = fixture;
    const [alice, bob] = [fixture.account("alice"), fixture.account("bob")];
    const connection = await fixture.connect();
    const before = devnet.rejections.length;
    for (let round = 0; round < 200; round += 1) {
      const payload =
        round % 2 ? transferPayload(devnet, alice, bob.address, 1n) : aggregatePayload(devnet, alice, bob, 1n);
      for (let change = random.below(3); change >= 0; change -= 1) {
        // half of the changes hit the sizes inside aggregates, which are few bytes
        const offset = random.below(2) ? random.below(payload.length) : 160 + random.below(12);
        if (offset < payload.length) payload.writeUInt8(random.below(256), offset);
      }
      await connection.push(PacketType.pushTransactions, payload);
    }
    expect(await connection.request(PacketType.chainStatistics)).toHaveLength(32);
    await connection.close();
    expect(devnet.rejections.length).toBeGreaterThan(before);
    await devnet.harvest(1);
    await fixture.verified();
  });

  test("random payloads do no harm", async () => {
    const random = new SeededRandom();
    const types = [...fixture.devnet.handlers.keys()];
    const connection = await fixture.connect(100);
    for (let round = 0; round < 400 && connection.isOpen; round += 1) {
      const type = types[random.below(types.length)] ?? 0;
      const payload = Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256)));
      await connection.push(type, payload);
    }
    await connection.close();
    const { height } = fixture.devnet;
    await fixture.devnet.harvest(1);
    expect((await fixture.client.chainStatistics()).height).toBe(height + 1);
  });
});

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
