import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { NodeResponseError } from "../../catapult/wire/errors.js";
import { decodeFinalizationProof } from "../../catapult/wire/finalization.js";
import { NodeClient } from "../../catapult/wire/node-client.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { PacketHandler, PacketReply, PacketServer } from "../../devnet/protocol/packet-server.js";
import { clientCredentials, listen, silentLog } from "../support/connection-fixtures.js";
import { RawReply } from "../support/raw-packet-server.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { until } from "../support/until.js";

interface RecordedPull {
  packet: string;
  request: string;
  response: string;
}

const hex = (text: string) => Buffer.from(text, "hex");
const STATISTICS = Buffer.alloc(32);
const node = () => `${server.address().host}:${server.address().port}`;

let server: PacketServer;
let client: NodeClient;
/** The server's next answer, and its last request. */
let reply: PacketReply;
let asked: { type: number; payload: string };
const pushed: { type: number; payload: string }[] = [];

beforeAll(async () => {
  const handlers = new Map<number, PacketHandler>();
  for (const type of Object.values(PacketType)) {
    handlers.set(type, (payload) => {
      asked = { type, payload: payload.toString("hex").toUpperCase() };
      return reply;
    });
  }
  const pushes = [PacketType.pushTransactions, PacketType.pushPartialTransactions, PacketType.pushDetachedCosignatures];
  for (const type of pushes) {
    handlers.set(type, (payload) => {
      pushed.push({ type, payload: payload.toString("hex").toUpperCase() });
      return undefined;
    });
  }
  reply = STATISTICS;
  server = await listen([...handlers]);
  client = new NodeClient({ nodes: [server.address()], credentials: clientCredentials, log: silentLog });
  await client.chainStatistics();
});

afterAll(async () => {
  await client.close();
  await server.close();
});

/** Sets the server's answer, sends the request, and returns the decoded answer. */
async function answered<T>(answer: PacketReply, ask: () => Promise<T>): Promise<T> {
  reply = answer;
  return ask();
}

/** The same for an answer that must be rejected. */
async function rejected(answer: PacketReply, ask: () => Promise<unknown>): Promise<NodeResponseError> {
  reply = answer;
  try {
    await ask();
  } catch (error) {
    expect(error).toBeInstanceOf(NodeResponseError);
    return error as NodeResponseError;
  }
  throw new Error("was not rejected");
}

const recording = new RecordedChain();

describe("answers recorded from a real node", () => {
  const packets = recording.packets() as Record<
    "chainStatistics" | "finalizationStatistics" | "nodeInfo" | "networkTime" | "blockHashes",
    string
  >;

  test("chain statistics", async () => {
    const statistics = await answered(hex(packets.chainStatistics), () => client.chainStatistics());
    expect(asked).toEqual({ type: 5, payload: "" });
    expect(statistics).toEqual({
      height: 596,
      finalizedHeight: 592,
      scoreHigh: 0n,
      scoreLow: 14_464_459_580_978_200n,
    });
  });

  test("finalization statistics", async () => {
    const statistics = await answered(hex(packets.finalizationStatistics), () => client.finalizationStatistics());
    expect(asked).toEqual({ type: 0x132, payload: "" });
    expect(statistics).toMatchObject({ epoch: 16, point: 14, height: 592 });
    // The block after the finalized one names it as its parent.
    const { height, block } = recording.blocks()[592]!;
    expect([height, block.includes(statistics.hash)]).toEqual([593, true]);
  });

  test("node info", async () => {
    const info = await answered(hex(packets.nodeInfo), () => client.nodeInfo());
    expect(asked).toEqual({ type: 0x111, payload: "" });
    expect(info).toMatchObject({ version: 0x01000308, roles: 71, port: 7900, networkIdentifier: 152 });
    expect(info).toMatchObject({ host: "127.0.0.1", friendlyName: "peer-local" });
    expect(info.networkGenerationHashSeed).toEqual(recording.network.generationHashSeed);
    const peers = await answered(hex(packets.nodeInfo.repeat(3)), () => client.peers());
    expect(asked).toEqual({ type: 0x113, payload: "" });
    // Only the node itself knows the key of its certificate.
    const { nodePublicKey, ...said } = info;
    expect(nodePublicKey).toHaveLength(32);
    expect(peers).toEqual([said, said, said]);
  });

  test("time", async () => {
    const time = await answered(hex(packets.networkTime), () => client.time());
    expect(asked).toEqual({ type: 0x120, payload: "" });
    expect(time).toEqual({ sendTimestamp: 221_824_656_307, receiveTimestamp: 221_824_656_307 });
  });

  test("block hashes", async () => {
    const hashes = await answered(hex(packets.blockHashes), () => client.blockHashes(1, 84));
    expect(asked).toEqual({ type: 7, payload: "010000000000000054000000" });
    expect(Buffer.concat(hashes)).toEqual(hex(packets.blockHashes));
    expect(hashes).toHaveLength(84);
  });

  test("all 596 blocks in batches", async () => {
    const recorded = recording.blocks().map(({ block }) => block);
    for (let start = 0; start < recorded.length; start += 42) {
      const batch = recorded.slice(start, start + 42);
      const limits = { maxBlocks: 42, maxBytes: 1000 };
      const blocks = await answered(Buffer.concat(batch), () => client.blocks(start + 1, limits));
      expect(blocks).toEqual(batch);
    }
    expect(asked).toEqual({ type: 8, payload: "4D020000000000002A000000E8030000" });
  });

  test("finalization proofs", async () => {
    for (const { epoch, proof } of recording.finalizationProofs()) {
      const payload = { type: PacketType.pullFinalizationProof, payload: proof };
      const bytes = await answered(payload, () => client.finalizationProofAtEpoch(epoch));
      expect(bytes).toEqual(proof);
      const decoded = decodeFinalizationProof(bytes!);
      expect(decoded).toMatchObject({ version: 1, epoch });
      expect(decoded.messageGroups.map(({ stage }) => stage)).toEqual(epoch === 1 ? [] : [1, 0]);
      for (const group of decoded.messageGroups) {
        // The voters of a proof sign hashes that reach the finalized block.
        expect(Number(group.height) + group.hashes.length - 1).toBe(decoded.height);
        expect(group.hashes.at(-1)).toEqual(decoded.hash);
        expect(group.signatures.length).toBeGreaterThan(0);
        for (const { root, bottom } of group.signatures) {
          expect([root.parentPublicKey.length, root.signature.length]).toEqual([32, 64]);
          expect([bottom.parentPublicKey.length, bottom.signature.length]).toEqual([32, 64]);
        }
      }
    }
    const empty = { type: PacketType.pullFinalizationProof, payload: Buffer.alloc(0) };
    expect(await answered(empty, () => client.finalizationProofAtEpoch(99))).toBeUndefined();
    expect(asked).toEqual({ type: 0x133, payload: "63000000" });
    expect(await answered(empty, () => client.finalizationProofAtHeight(99))).toBeUndefined();
    expect(asked).toEqual({ type: 0x134, payload: "6300000000000000" });
  });

  test("unconfirmed transactions", async () => {
    const recorded = recording.lines<RecordedPull>("pulls.jsonl.gz");
    let most = 0;
    for (const { packet, request, response } of recorded) {
      expect(packet).toBe("Pull_Transactions");
      const transactions = await answered(hex(response), () => client.unconfirmedTransactions());
      expect(asked).toEqual({ type: 10, payload: request });
      expect(Buffer.concat(transactions)).toEqual(hex(response));
      most = Math.max(most, transactions.length);
    }
    expect(most).toBeGreaterThan(10);
  });
});

test("partial transactions recorded from a real node", async () => {
  const pulls = recording.lines<RecordedPull>("fork/pulls.jsonl.gz");
  const partialPulls = pulls.filter(({ packet }) => packet === "Pull_Partial_Transaction_Infos");
  let found = 0;
  for (const { request, response } of partialPulls) {
    const partial = await answered(hex(response), () => client.partialTransactions());
    expect(asked).toEqual({ type: 0x102, payload: request });
    for (const { transaction, cosignatures } of partial) {
      expect(transaction.readUInt32LE()).toBe(transaction.length);
      // A bonded aggregate.
      expect(transaction.readUInt16LE(110)).toBe(0x4241);
      expect(cosignatures.every(({ length }) => length === 104)).toBe(true);
    }
    found += partial.length;
  }
  expect(found).toBeGreaterThan(0);
});

describe("requests without a recording", () => {
  test("unlocked accounts", async () => {
    const keys = await answered(Buffer.concat([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]), () =>
      client.unlockedAccounts(),
    );
    expect(asked).toEqual({ type: 0x304, payload: "" });
    expect(keys).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
  });

  test("unconfirmed transactions with a filter", async () => {
    const filter = { minDeadline: 0x1122, minFeeMultiplier: 7, knownShortHashes: [hex("A1A2A3A4"), hex("B1B2B3B4")] };
    expect(await answered(Buffer.alloc(0), () => client.unconfirmedTransactions(filter))).toEqual([]);
    expect(asked.payload).toBe("221100000000000007000000A1A2A3A4B1B2B3B4");
    const bad = { knownShortHashes: [hex("A1")] };
    await expect(client.unconfirmedTransactions(bad)).rejects.toThrow("a short hash must have 4 bytes, not 1");
  });

  test("partial transactions", async () => {
    const first = sized(131);
    const second = sized(136);
    const cosignatures = [Buffer.alloc(104, 1), Buffer.alloc(104, 2)];
    const infos = Buffer.concat([
      hex("0280000000000000"),
      first,
      Buffer.alloc(5),
      ...cosignatures,
      hex("0080000000000000"),
      second,
    ]);
    const partial = await answered(infos, () => client.partialTransactions());
    expect(asked).toEqual({ type: 0x102, payload: "0000000000000000" });
    expect(partial).toEqual([
      { transaction: first, cosignatures },
      { transaction: second, cosignatures: [] },
    ]);
    const cut = await rejected(infos.subarray(0, 8 + 136 + 104 + 50), () => client.partialTransactions());
    expect(cut.field).toBe("infos[0].cosignatures[1]");
    const byHash = await rejected(hex("0100000000000000"), () => client.partialTransactions());
    expect(byHash.field).toBe("infos[0].tag");
  });

  test("state paths", async () => {
    const key = Buffer.alloc(24, 3);
    expect(await answered(hex("FF00"), () => client.statePath(PacketType.accountStatePath, key))).toEqual(hex("FF00"));
    expect(asked).toEqual({ type: 0x243, payload: "03".repeat(24) });
    expect(await answered(Buffer.alloc(0), () => client.statePath(PacketType.accountStatePath, key))).toHaveLength(0);
  });

  test("keys that a node would not answer are rejected before the request", async () => {
    const wrongSize = client.statePath(PacketType.accountStatePath, Buffer.alloc(25));
    await expect(wrongSize).rejects.toThrow("a key of accountStatePath (0x243) must have 24 bytes, not 25");
    const otherType = client.statePath(PacketType.pullBlocks, Buffer.alloc(24));
    await expect(otherType).rejects.toThrow("pullBlocks (0x8) does not request state");
  });
});

describe("pushes", () => {
  test("send a packet for each entity, with a checked size", async () => {
    pushed.length = 0;
    const transactions = [sized(128), sized(200)];
    await client.pushTransactions(transactions);
    await client.pushPartialTransactions([sized(168)]);
    await client.pushCosignatures([Buffer.alloc(136, 9)]);
    await answered(STATISTICS, () => client.chainStatistics());
    const text = (bytes: Buffer) => bytes.toString("hex").toUpperCase();
    expect(pushed).toEqual([
      { type: 9, payload: text(transactions[0]!) },
      { type: 9, payload: text(transactions[1]!) },
      { type: 0x100, payload: text(sized(168)) },
      { type: 0x101, payload: "09".repeat(136) },
    ]);
  });

  test("of incomplete entities are rejected, and nothing is sent", async () => {
    pushed.length = 0;
    const cut = client.pushTransactions([sized(128), sized(200).subarray(0, 199)]);
    await expect(cut).rejects.toThrow("transaction 1 has 199 bytes, its size field says 200");
    await expect(client.pushPartialTransactions([Buffer.alloc(2)])).rejects.toThrow("transaction 0 has 2 bytes");
    const short = client.pushCosignatures([Buffer.alloc(135)]);
    await expect(short).rejects.toThrow("cosignature 0 must have 136 bytes, not 135");
    await answered(STATISTICS, () => client.chainStatistics());
    expect(pushed).toEqual([]);
  });
});

describe("bad answers are rejected by node, request and field", () => {
  test("too short, too long, numbers too large", async () => {
    const short = await rejected(Buffer.alloc(20), () => client.chainStatistics());
    expect(short.message).toBe(
      `node ${node()}: invalid response to chain statistics: scoreHigh needs 8 bytes at offset 16, 4 are left`,
    );
    expect(short).toMatchObject({ node: node(), request: "chain statistics", field: "scoreHigh" });
    const long = await rejected(Buffer.alloc(33), () => client.chainStatistics());
    expect(long.message).toContain("end expected at offset 32, 1 bytes are left");
    const large = await rejected(Buffer.alloc(32, 0xff), () => client.chainStatistics());
    expect(large.message).toContain("height is 18446744073709551615, which is too large");
  });

  test("truncated hashes or more than requested", async () => {
    const cut = await rejected(Buffer.alloc(65), () => client.blockHashes(7, 10));
    expect(cut.message).toContain("block hashes from height 7: hashes needs pieces of 32 bytes, 65 bytes are left");
    const many = await rejected(Buffer.alloc(96), () => client.blockHashes(7, 2));
    expect(many.message).toContain("hashes are 3, more than the requested 2");
  });

  test("truncated, too small or too many blocks, or of another height: with height and offset", async () => {
    const batch = Buffer.concat([block(7, 400), block(8, 376), block(9, 500)]);
    const limits = { maxBlocks: 3, maxBytes: 10_000 };
    const ask = () => client.blocks(7, limits);
    expect((await answered(batch, ask)).map(({ length }) => length)).toEqual([400, 376, 500]);
    expect(await answered(Buffer.alloc(0), ask)).toEqual([]);

    const cut = await rejected(batch.subarray(0, batch.length - 1), ask);
    expect(cut.message).toContain(
      "blocks from height 7: block 9 at offset 776 needs 500 bytes at offset 776, 499 are left",
    );
    const stub = await rejected(batch.subarray(0, 779), ask);
    expect(stub.message).toContain("size of block 9 at offset 776 needs 4 bytes at offset 776, 3 are left");
    const small = await rejected(Buffer.concat([block(7, 400), block(8, 375)]), ask);
    expect(small.message).toContain("size of block 8 at offset 400 is 375, below the minimum of 376");
    const zero = await rejected(Buffer.alloc(400), ask);
    expect(zero.message).toContain("size of block 7 at offset 0 is 0");
    const gap = await rejected(Buffer.concat([block(7, 400), block(9, 400)]), ask);
    expect(gap.message).toContain("height of block 8 is 9");
    const many = await rejected(batch, () => client.blocks(7, { ...limits, maxBlocks: 2 }));
    expect(many.message).toContain("blocks are 3, more than the requested 2");
  });

  test("node infos with inconsistent sizes", async () => {
    const info = Buffer.alloc(81 + 5);
    info.writeUInt32LE(info.length);
    info.set([3, 2], 79);
    expect(await answered(info, () => client.nodeInfo())).toMatchObject({ version: 0, host: "\0\0\0" });
    info.writeUInt32LE(info.length + 1);
    const wrong = await rejected(info, () => client.nodeInfo());
    expect(wrong.message).toContain("size is 87, the node info has 86 bytes");
    const cut = await rejected(info.subarray(0, 83), () => client.peers());
    expect(cut.field).toBe("host");
  });

  test("finalization proofs with inconsistent counts, without allocating memory for them", () => {
    const proof = Buffer.alloc(56 + 24);
    proof.writeUInt32LE(proof.length);
    proof.writeUInt32LE(24, 56);
    expect(decodeFinalizationProof(proof).messageGroups).toHaveLength(1);
    proof.writeUInt32LE(0xffff_ffff, 60);
    expect(() => decodeFinalizationProof(proof, "host:1")).toThrow(
      "node host:1: invalid response to finalization proof: messageGroups[0].size is 24, but its counts add up to 137438953464",
    );
    proof.writeUInt32LE(81);
    expect(() => decodeFinalizationProof(proof)).toThrow("size is 81, the proof has 80 bytes");
  });

  test("invalid arguments of a request are rejected by name", async () => {
    await expect(client.blockHashes(-1, 1)).rejects.toThrow("fromHeight must be an integer from 0, not -1");
    await expect(client.blocks(1.5, { maxBlocks: 1, maxBytes: 1 })).rejects.toThrow("fromHeight");
    await expect(client.blocks(1, { maxBlocks: 2 ** 32, maxBytes: 1 })).rejects.toThrow("maxBlocks must be");
    await expect(client.finalizationProofAtEpoch(-1)).rejects.toThrow("epoch must be");
  });
});

/** An entity with a size, which is in its first four bytes. */
function sized(size: number): Buffer {
  const entity = Buffer.alloc(size, 0x5a);
  entity.writeUInt32LE(size);
  return entity;
}

function block(height: number, size: number): Buffer {
  const entity = sized(size);
  entity.writeBigUInt64LE(BigInt(height), 112);
  return entity;
}

describe("answers much larger than requested are cut off at their headers", () => {
  const MIB = 1024 * 1024;
  const key = Buffer.alloc(32, 1);
  const requests: readonly (readonly [name: string, type: number, size: number, ask: () => Promise<unknown>])[] = [
    ["chain statistics", PacketType.chainStatistics, MIB, () => client.chainStatistics()],
    ["finalization statistics", PacketType.finalizationStatistics, MIB, () => client.finalizationStatistics()],
    ["node info", PacketType.nodeDiscoveryPullPing, MIB, () => client.nodeInfo()],
    ["time", PacketType.timeSyncNetworkTime, MIB, () => client.time()],
    ["block hashes", PacketType.blockHashes, MIB, () => client.blockHashes(1, 84)],
    ["a state path", PacketType.metadataStatePath, MIB, () => client.statePath(PacketType.metadataStatePath, key)],
    ["peers", PacketType.nodeDiscoveryPullPeers, 20 * MIB, () => client.peers()],
    ["unlocked accounts", PacketType.unlockedAccounts, 20 * MIB, () => client.unlockedAccounts()],
    ["a proof", PacketType.pullFinalizationProof, 20 * MIB, () => client.finalizationProofAtEpoch(1)],
  ];

  test.each(requests)("%s", async (_name, type, size, ask) => {
    // The client first verifies that the node answers.
    await answered(STATISTICS, () => client.chainStatistics());
    const header = Buffer.alloc(8);
    header.writeUInt32LE(size);
    header.writeUInt32LE(type, 4);
    reply = new RawReply(header);
    const failed = ask().then(
      () => undefined,
      (error: Error) => error,
    );
    // A client that waits for the rest would wait for its timeout.
    await until(() => client.connectedNode === undefined, "the connection is closed");
    expect(await failed).toMatchObject({ name: "PacketError", size });
    reply = STATISTICS;
  });
});
