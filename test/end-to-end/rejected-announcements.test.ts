import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { hex } from "../../catapult/entity/hex.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { readRejections, recordRejection } from "../../database/mempool/rejected-announcements.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { Gateway } from "../../gateway/server.js";
import { writeMempoolStep } from "../../indexer/mempool/mempool-step.js";
import { TestClient } from "../gateway/websocket-fixture.js";
import { indexContext } from "../support/index-context.js";
import { LifeScene } from "../support/lifecycle-scene.js";
import { sendJson } from "../support/rest-client.js";
import type { MakeOptions } from "../support/transaction-maker.js";
import { until } from "../support/until.js";

/** Positions of bytes in a transaction. */
const SIGNATURE = 8;
const SIGNER = 72;
const VERSION = 108;
const NETWORK = 109;

describe("COMPATIBILITY=catapult-rest: a transaction that can never be valid is accepted, and its rejection reported", () => {
  let scene: LifeScene;
  let gateways: Gateway[];
  let specification: Gateway;
  let clients: TestClient[];
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  /** Transactions that reached the node since a test cleared them. */
  const pushed: Buffer[] = [];

  beforeAll(async () => {
    scene = await LifeScene.start("broker");
    [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
    const { devnet } = scene.fixture;
    for (const type of [PacketType.pushTransactions, PacketType.pushPartialTransactions]) {
      const handler = devnet.handlers.get(type);
      devnet.handlers.set(type, (payload, peer) => {
        pushed.push(payload);
        return handler?.(payload, peer);
      });
    }
    gateways = [];
    for (let count = 0; count < 2; ++count) gateways.push(await scene.serve({ compatibility: "catapult-rest" }));
    specification = await scene.serve();
    clients = await Promise.all(gateways.map(({ port }) => TestClient.connect(`ws://127.0.0.1:${port}/ws`)));
    for (const client of clients) client.subscribe(`status/${encodeAddress(alice.address)}`);
    await until(async () => (await Promise.all(gateways.map(subscriptions))).every((one) => one === 1), "subscribed");
  });

  afterAll(async () => {
    for (const client of clients ?? []) client.socket.terminate();
    await Promise.all([...(gateways ?? []), specification].map((gateway) => gateway?.stop()));
    await scene?.stop();
  });

  async function subscriptions({ port }: Gateway): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(/^symbol_gateway_websocket_subscriptions (\d+)$/m.exec(text)?.[1]);
  }

  const put = async ({ port }: Gateway, path: string, sent: unknown) => {
    const { status, body } = await sendJson("PUT", `http://127.0.0.1:${port}${path}`, sent);
    return { status, body };
  };

  const statusesOf = (client: TestClient, hash: Buffer) =>
    client.messages.map(({ data }) => data as { hash?: string; code?: string }).filter((one) => one.hash === hex(hash));

  const transfer = (options: MakeOptions = {}) =>
    scene.make.transaction(alice, scene.transfer(bob.address, 1n), options);

  /** A transfer with other bytes at a position. */
  function changed(offset: number, bytes: Buffer): Buffer {
    const payload = transfer();
    bytes.copy(payload, offset);
    return payload;
  }

  const impossible: readonly (readonly [code: string, make: () => Buffer])[] = [
    ["Failure_Core_Past_Deadline", () => transfer({ deadlineSeconds: -60 })],
    ["Failure_Core_Future_Deadline", () => transfer({ deadlineSeconds: 100 * 3600 })],
    ["Failure_Consumer_Batch_Signature_Not_Verifiable", () => changed(SIGNATURE, Buffer.alloc(64, 7))],
    ["Failure_Core_Zero_Public_Key", () => changed(SIGNER, Buffer.alloc(32))],
    ["Failure_Core_Invalid_Transaction_Fee", () => transfer({ feeMultiplier: 1 })],
    ["Failure_Core_Wrong_Network", () => changed(NETWORK, Buffer.of(104))],
  ];

  test.each(impossible)("%s: the node's own words reach the clients of every gateway", async (code, make) => {
    const payload = make();
    const hash = scene.make.hashOf(payload);
    pushed.length = 0;
    const [first] = gateways as [Gateway];
    expect(await put(first, "/transactions", { payload: hex(payload) })).toEqual({
      status: 202,
      body: { message: "packet 9 was pushed to the network via /transactions" },
    });
    await scene.untilReported(hash, "status");
    expect(await scene.channels(hash)).toEqual([`status ${code}`]);
    for (const { port } of gateways) {
      const status = await (await fetch(`http://127.0.0.1:${port}/transactionStatus/${hex(hash)}`)).json();
      const deadline = String(payload.readBigUInt64LE(120));
      expect(status).toEqual({ group: "failed", code, hash: hex(hash), deadline });
    }
    expect(pushed).toEqual([]);
    // A key of zeros is not alice's.
    if (code === "Failure_Core_Zero_Public_Key") return;
    for (const client of clients) {
      await until(() => statusesOf(client, hash).length > 0, "the client receives it");
      expect(statusesOf(client, hash)).toMatchObject([{ hash: hex(hash), code }]);
    }
  });

  test("the node itself reports the same for the same bytes, also to others than the signer, and once", async () => {
    const { db } = scene.index;
    const [, past] = impossible[0] ?? [];
    const [, forged] = impossible[2] ?? [];
    for (const make of [past, forged]) {
      const payload = make?.() as Buffer;
      const hash = scene.make.hashOf(payload);
      await scene.fixture.client.pushTransactions([payload]);
      await scene.untilReported(hash, "status");
      const announce = () => put(gateways[0] as Gateway, "/transactions", { payload: hex(payload) });
      await announce();
      await until(async () => (await readRejections(db, 1)).length === 0, "the indexer has read it");
      expect(await scene.channels(hash)).toHaveLength(1);
      await db.deleteFrom("transaction_statuses").where("hash", "=", hash).execute();
      await announce();
      await scene.untilReported(hash, "status", 2);
      const [nodes, ours] = await scene.life(hash);
      expect(nodes?.addresses).toContain(alice.address.toString("hex"));
      expect(ours).toEqual({ ...nodes, addresses: [alice.address.toString("hex")] });
    }
  });

  test("a cosignature of the aggregate's own signer is 409 here too: the node would drop the aggregate", async () => {
    const embedded = [alice, bob].map((signer) => scene.make.embedded(signer, scene.transfer(alice.address, 1n)));
    const payload = scene.make.aggregate({ embedded, signer: alice, isBonded: true }, { cosignaturesToCome: 1 });
    const hash = await scene.bond(alice, payload);
    const bytes = scene.make.cosignature(alice, hash);
    const answer = await put(gateways[0] as Gateway, "/transactions/cosignature", {
      version: "0",
      signerPublicKey: hex(alice.publicKey),
      signature: hex(bytes.subarray(40, 104)),
      parentHash: hex(hash),
    });
    expect(answer.status).toBe(409);
    expect(scene.fixture.devnet.isPartial(hash)).toBe(true);
  });

  test("an announcement that a node drops silently is accepted and forgotten", async () => {
    pushed.length = 0;
    const [first] = gateways as [Gateway];
    const unknownType = changed(VERSION, Buffer.of(1, scene.fixture.devnet.network.identifier, 0xff, 0x7f));
    for (const payload of ["", "00", hex(transfer().subarray(0, 150)), hex(unknownType)]) {
      expect((await put(first, "/transactions", { payload })).status).toBe(202);
    }
    // Only bonded aggregates may lack cosignatures.
    expect((await put(first, "/transactions/partial", { payload: hex(transfer()) })).status).toBe(202);
    const cosignature = {
      parentHash: "0".repeat(64),
      signerPublicKey: hex(bob.publicKey),
      signature: "7".repeat(128),
      version: "0",
    };
    expect((await put(first, "/transactions/cosignature", cosignature)).status).toBe(202);
    expect(await readRejections(scene.index.db, 10)).toEqual([]);
    expect(await scene.index.db.selectFrom("announcements").selectAll().execute()).toEqual([]);
    expect(pushed).toEqual([]);
  });

  test("with the specification, and over GraphQL, the answer contains the error at once", async () => {
    const payload = hex(transfer({ deadlineSeconds: -60 }));
    const answer = await put(specification, "/transactions", { payload });
    expect(answer).toMatchObject({ status: 409, body: { code: "InvalidArgument" } });
    expect(answer.body.message).toContain("Failure_Core_Past_Deadline");
    const query = `mutation { announceTransaction(payload: "${payload}") }`;
    const { body } = await sendJson("POST", `http://127.0.0.1:${gateways[0]!.port}/graphql`, { query });
    expect(body).toMatchObject({ errors: [{ extensions: { code: "InvalidArgument" } }] });
    expect(await readRejections(scene.index.db, 10)).toEqual([]);
  });

  test("a rejected repetition of a pending transaction is neither reported nor its status", async () => {
    const embedded = [
      scene.make.embedded(alice, scene.transfer(bob.address, 1n)),
      scene.make.embedded(bob, scene.transfer(alice.address, 1n)),
    ];
    const payload = scene.make.aggregate({ signer: alice, isBonded: true, embedded }, { cosignaturesToCome: 2 });
    const hash = await scene.bond(alice, payload);
    // The hash does not cover cosignatures.
    const cosigned = Buffer.concat([payload, Buffer.alloc(8), bob.publicKey, Buffer.alloc(64, 7)]);
    cosigned.writeUInt32LE(cosigned.length);
    expect((await put(gateways[0] as Gateway, "/transactions/partial", { payload: hex(cosigned) })).status).toBe(202);
    await until(async () => (await readRejections(scene.index.db, 1)).length === 0, "the rejection is read");
    expect(await scene.channels(hash)).toEqual(["partialAdded"]);
    expect(await scene.status(hash)).toMatchObject({ group: "partial", code: "Success" });
    expect(
      await scene.index.db.selectFrom("transaction_statuses").where("hash", "=", hash).selectAll().execute(),
    ).toEqual([]);
  });

  test("a rejection is reported once, even by an indexer that was killed before it recorded that", async () => {
    const { db } = scene.index;
    const hash = Buffer.alloc(32, 9);
    const row = { hash, code: "Failure_Core_Past_Deadline", deadline: 2n ** 64n - 1n, addresses: [bob.address] };
    // Stored here before the running indexer can see it, which processes it too, or comes too late.
    const rejections = await db.transaction().execute(async (trx) => {
      await recordRejection(trx, row);
      return readRejections(trx, 10);
    });
    expect(rejections).toMatchObject([row]);
    const { signal } = new AbortController();
    const context = indexContext(db, scene.fixture.devnet.network);
    const changes = rejections.map((rejection) => ({ kind: "rejected" as const, ...rejection }));
    for (let attempt = 0; attempt < 2; ++attempt) await writeMempoolStep(context, changes, signal);
    await until(async () => (await readRejections(db, 10)).length === 0, "the rejection is reported");
    await scene.untilReported(hash, "status");
    expect(await scene.channels(hash)).toEqual(["status Failure_Core_Past_Deadline"]);
    expect(await scene.status(hash)).toMatchObject({ deadline: 2n ** 64n - 1n });
  });
});
