import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { signData } from "../../catapult/crypto/signature.js";
import { transactionHash } from "../../catapult/entity/hashes.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { DevnetFixture, signedAggregate, signedPayload } from "../support/devnet.js";
import { publishedApi } from "../support/openapi.js";
import type { TestAnswer } from "../support/rest-client.js";
import { SeededRandom } from "../support/seeded-random.js";
import { uncoveredInTransaction } from "../support/uncovered-bytes.js";
import { until } from "../support/until.js";
import { GatewayFixture } from "./gateway-fixture.js";

const published = publishedApi();

let node: DevnetFixture;
let devnet: Devnet;
let alice: DevnetAccount;
let bob: DevnetAccount;

const gateway = GatewayFixture.use(undefined, async () => {
  node = await DevnetFixture.start();
  ({ devnet } = node);
  [alice, bob] = devnet.accounts as [DevnetAccount, DevnetAccount];
  // An empty index: the node describes the network.
  return { nodes: [devnet], resourcesDirectory: devnet.resourcesDirectory };
});

beforeEach(() => gateway.db.deleteFrom("announcements").execute());

afterAll(() => node?.stop());

const hex = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

async function put(path: string, body: unknown, to = gateway): Promise<TestAnswer> {
  const answer = await to.send("PUT", path, body);
  if (path !== "/transaction" && answer.status !== 503) {
    expect(published.validateResponse("PUT", path, answer.status, answer.body)).toEqual([]);
  }
  return answer;
}

const announced = (of = gateway) => of.db.selectFrom("announcements").selectAll().orderBy("kind").execute();

function bonded(): Buffer {
  const fields = { type: "transfer_transaction_v1", recipientAddress: bob.address, amount: 1n };
  return signedAggregate(devnet, alice, {
    bonded: true,
    embedded: [
      { signer: alice, fields },
      { signer: bob, fields: { ...fields, recipientAddress: alice.address } },
    ],
  });
}

describe("an announcement written to the node's connection is answered with 202 and stored", () => {
  test.each(["/transactions", "/transaction"])("PUT %s", async (path) => {
    const payload = signedPayload(devnet, alice, { recipientAddress: bob.address, amount: 5n });
    const answer = await put(path, { payload: hex(payload) });
    expect(answer).toMatchObject({
      status: 202,
      body: { message: `packet 9 was pushed to the network via ${path}` },
    });
    const hash = transactionHash(payload, devnet.network);
    await until(() => devnet.isUnconfirmed(hash), "the node has it in its pool");
    expect(await announced()).toMatchObject([{ hash, kind: "transaction", payload, parent_hash: null, pushes: 1 }]);
  });

  test("the same twice, in lower case", async () => {
    const payload = signedPayload(devnet, alice).toString("hex");
    expect((await put("/transactions", { payload })).status).toBe(202);
    expect((await put("/transactions", { payload })).status).toBe(202);
    // A node would ignore it for ten minutes more.
    expect(await announced()).toMatchObject([{ pushes: 1 }]);
  });

  test("a bonded aggregate and its cosignature", async () => {
    const payload = bonded();
    const hash = transactionHash(payload, devnet.network);
    const lock = signedPayload(devnet, alice, { hashLock: hash });
    devnet.announce(lock);
    await devnet.harvest();
    expect((await put("/transactions/partial", { payload: hex(payload) })).body).toEqual({
      message: "packet 256 was pushed to the network via /transactions/partial",
    });
    await until(() => devnet.isPartial(hash), "the aggregate is partial at the node");
    const cosignature = {
      parentHash: hex(hash),
      signerPublicKey: hex(bob.publicKey),
      signature: hex(signData(bob.privateKey, hash)),
      version: "0",
    };
    expect((await put("/transactions/cosignature", cosignature)).body).toEqual({
      message: "packet 257 was pushed to the network via /transactions/cosignature",
    });
    // It is pushed when the indexer reports the aggregate: a node forgets one that arrives before.
    const rows = await announced();
    expect(rows.map(({ kind, pushes }) => [kind, pushes])).toEqual([
      ["cosignature", 0],
      ["partial", 1],
    ]);
    // A cosignature is worth pushing as long as its aggregate may be pending.
    expect(rows[0]).toMatchObject({ parent_hash: hash, deadline: rows[1]?.deadline });
  });

  test("a cosignature of an unknown aggregate is only pushed while the index is behind; its version may be a number", async () => {
    const hash = Buffer.alloc(32, 7);
    const signature = hex(signData(bob.privateKey, hash));
    const body = { parentHash: hex(hash), signerPublicKey: hex(bob.publicKey), signature, version: 0 };
    expect((await put("/transactions/cosignature", body)).status).toBe(202);
    expect(await announced()).toEqual([]);
  });
});

describe("invalid announcements never reach the node", () => {
  const changed = (payload: Buffer, offset: number, byte: number) => {
    const copy = Buffer.from(payload);
    copy[offset] = byte;
    return hex(copy);
  };

  async function expectRejected(path: string, body: unknown, status: number, words: string): Promise<void> {
    const answer = await put(path, body);
    const code = status === 400 ? "InvalidContent" : "InvalidArgument";
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect(answer.body.message).toContain(words);
  }

  test("400: undecodable payloads", async () => {
    const payload = signedPayload(devnet, alice);
    await expectRejected("/transactions", [], 400, "the body must be a JSON object with the member payload");
    await expectRejected("/transactions", { payload: 7.5 }, 400, "payload must be a string");
    await expectRejected("/transactions", { payload: "" }, 400, "payload must be pairs of hex digits");
    await expectRejected("/transactions", { payload: "ABC" }, 400, "payload must be pairs of hex digits");
    await expectRejected("/transactions", { payload: "XY" }, 400, "payload must be pairs of hex digits");
    await expectRejected("/transactions", { payload: "00" }, 400, "transaction.size");
    await expectRejected("/transactions", { payload: hex(payload.subarray(0, -1)) }, 400, "transaction.size");
    await expectRejected("/transactions", { payload: `${hex(payload)}00` }, 400, "transaction.size");
    await expectRejected("/transactions", { payload: changed(payload, 111, 0xff) }, 400, "transaction.type");
  });

  test("409: missing arguments", async () => {
    await expectRejected("/transactions", {}, 409, "payload is missing in the body");
    await expectRejected(
      "/transactions/cosignature",
      { parentHash: "00".repeat(32) },
      409,
      "signerPublicKey is missing",
    );
  });

  test("409: transactions that can never be valid", async () => {
    const payload = signedPayload(devnet, alice);
    const past = signedPayload(devnet, alice, { deadlineSeconds: -60 });
    const far = signedPayload(devnet, alice, { deadlineSeconds: 7 * 3600 });
    await expectRejected("/transactions", { payload: changed(payload, 8, ~payload[8]! & 0xff) }, 409, "signature");
    await expectRejected("/transactions", { payload: changed(payload, 109, 104) }, 409, "Failure_Core_Wrong_Network");
    await expectRejected("/transactions", { payload: changed(payload, 108, 9) }, 409, "Failure_Core_Invalid_Version");
    await expectRejected("/transactions", { payload: hex(past) }, 409, "Failure_Core_Past_Deadline");
    await expectRejected("/transactions", { payload: hex(far) }, 409, "Failure_Core_Future_Deadline");
    await expectRejected("/transactions/partial", { payload: hex(payload) }, 409, "only bonded aggregates");
    const hash = Buffer.alloc(32, 7);
    const cosignature = {
      parentHash: hex(hash),
      signerPublicKey: hex(bob.publicKey),
      signature: hex(signData(alice.privateKey, hash)),
      version: "0",
    };
    await expectRejected("/transactions/cosignature", cosignature, 409, "signature");
    await expectRejected("/transactions/cosignature", { ...cosignature, version: "1" }, 409, "version");
  });

  test("transactions with any one byte changed that a hash or a rule covers", async () => {
    const random = new SeededRandom();
    const payload = signedPayload(devnet, alice, { recipientAddress: bob.address, amount: 5n });
    const uncovered = new Set(uncoveredInTransaction(payload));
    const offsets = [...payload.keys()].filter((offset) => !uncovered.has(offset));
    for (let count = 0; count < 100; count += 1) {
      const offset = offsets[random.below(offsets.length)]!;
      const byte = (payload[offset]! + 1 + random.below(255)) & 0xff;
      const { status, body } = await put("/transactions", { payload: changed(payload, offset, byte) });
      expect({ offset, byte, status, code: body.code }).toEqual({
        offset,
        byte,
        status: status === 400 ? 400 : 409,
        code: status === 400 ? "InvalidContent" : "InvalidArgument",
      });
    }
  });

  test("and none of them is stored", async () => {
    const rejections = [...devnet.rejections];
    const payload = signedPayload(devnet, alice);
    await put("/transactions", { payload: changed(payload, 8, ~payload[8]! & 0xff) });
    expect(await announced()).toEqual([]);
    expect([...devnet.rejections]).toEqual(rejections);
  });
});

test("without a node 503, and nothing is stored", async () => {
  const lonely = await DevnetFixture.start();
  const other = await GatewayFixture.start(undefined, { nodes: [lonely.devnet] });
  try {
    const payload = hex(signedPayload(lonely.devnet, alice));
    expect((await put("/transactions", { payload }, other)).status).toBe(202);
    await other.db.deleteFrom("announcements").execute();
    await lonely.close();
    for (let count = 0; count < 2; count += 1) {
      const { status, body } = await put("/transactions", { payload }, other);
      expect({ status, code: body.code }).toEqual({ status: 503, code: "ServiceUnavailable" });
    }
    expect(await announced(other)).toEqual([]);
  } finally {
    await other.close();
    await lonely.stop();
  }
});

test("503 while the database is read-only, and nothing reaches the node", async () => {
  const takesNoChanges = "?options=-c%20default_transaction_read_only%3Don";
  const settings = ({ url }: { url: string }) => ({ nodes: [devnet], databaseUrl: `${url}${takesNoChanges}` });
  const other = await GatewayFixture.start(undefined, settings);
  const payload = signedPayload(devnet, alice, { amount: 4n });
  const { status, body } = await put("/transactions", { payload: hex(payload) }, other);
  expect({ status, code: body.code }).toEqual({ status: 503, code: "ServiceUnavailable" });
  await devnet.harvest(1);
  expect(devnet.isConfirmed(transactionHash(payload, devnet.network))).toBe(false);
  await other.close();
});

test("a connection that broke silently is opened again", async () => {
  devnet.closeConnections();
  const payload = hex(signedPayload(devnet, alice, { amount: 3n }));
  expect((await put("/transactions", { payload })).status).toBe(202);
});

test("unreadable resources are named", async () => {
  const other = await GatewayFixture.start(undefined, { nodes: [devnet], resourcesDirectory: "/nowhere" });
  const { status, body } = await put("/transactions", { payload: hex(signedPayload(devnet, alice)) }, other);
  expect({ status, body }).toEqual({
    status: 503,
    body: {
      code: "ServiceUnavailable",
      message: "config-network.properties of CATAPULT_RESOURCES: cannot be read",
    },
  });
  await other.close();
});
