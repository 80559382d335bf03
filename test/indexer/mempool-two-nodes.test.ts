import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { StatusCode } from "../../catapult/announcement/status-code.js";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { BROKER_TOPIC } from "../../catapult/wire/zmq-message.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import { BranchNode } from "../support/branch-node.js";
import { devnetBlocks } from "../support/devnet-execution.js";
import { LifeScene } from "../support/lifecycle-scene.js";
import { TestBroker } from "../support/test-broker.js";
import { isWithin, pause, until } from "../support/until.js";

/** Longer than a rejected transaction has to be gone until it counts as failed, in ms. */
const LONG_MS = 3_500;
const INSUFFICIENT = "Failure_Core_Insufficient_Balance";

/** The first node of the list, with a broker: it stays on a shorter branch. */
let other: BranchNode;
let broker: TestBroker;
/** With the node that is followed. */
let scene: LifeScene;
let alice: DevnetAccount;
let bob: DevnetAccount;

beforeAll(async () => {
  broker = await TestBroker.bind();
  scene = await LifeScene.start(async () => ({ zmqUrl: broker.url }));
  const { devnet } = scene.fixture;
  await scene.index.stop();
  [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
  const blocks = (await devnetBlocks(scene.fixture)).slice(0, 1);
  other = await BranchNode.start({ network: devnet.network, blocks });
  await scene.follow(async () => ({
    zmqUrl: broker.url,
    nodes: [other.address, devnet],
    limits: { compareMs: 50 },
  }));
  await until(() => broker.subscribers === 1, "the indexer listens");
});

afterAll(async () => {
  await scene.stop();
  await other.close();
  broker.close();
});

const transfer = (amount: bigint) => scene.make.transaction(alice, scene.transfer(bob.address, amount));
const topic = (letter: Buffer) => Buffer.concat([letter, alice.address]);

async function addAtOther(payload: Buffer): Promise<void> {
  const hash = scene.make.hashOf(payload);
  await broker.publish([topic(BROKER_TOPIC.unconfirmed), payload, hash, hash, Buffer.alloc(8)]);
}

/** The other node removes and rejects it, on its own branch. */
async function endAtOther(payload: Buffer): Promise<void> {
  const hash = scene.make.hashOf(payload);
  const status = Buffer.alloc(44);
  hash.copy(status);
  payload.copy(status, 32, 120, 128);
  status.writeUInt32LE(StatusCode[INSUFFICIENT], 40);
  await broker.publish([topic(BROKER_TOPIC.unconfirmedRemoved), hash], [topic(BROKER_TOPIC.status), status]);
}

/** Waits until the indexer has read the followed node's pool twice more. */
async function poolIsRead(): Promise<void> {
  const { handlers } = scene.fixture.devnet;
  const pull = handlers.get(PacketType.pullTransactions)!;
  let polls = 0;
  handlers.set(PacketType.pullTransactions, (...request) => {
    polls += 1;
    return pull(...request);
  });
  await until(() => polls > 4, "the pool is read");
  handlers.set(PacketType.pullTransactions, pull);
}

test("what another node removes and rejects lives while the followed node has it, and is confirmed", async () => {
  const [known, unknown] = [transfer(1n), transfer(2n)];
  const hashes = [await scene.push(known), await scene.push(unknown)] as const;
  await addAtOther(known);
  await scene.untilReported(hashes[0], "unconfirmedAdded");
  await poolIsRead();
  await endAtOther(known);
  await endAtOther(unknown);
  const isEnded = async () => (await scene.channels(hashes[0])).length > 1 || (await scene.life(hashes[1])).length > 0;
  expect(await isWithin(LONG_MS, isEnded)).toBe(false);
  expect(await scene.waiting("unconfirmed")).toEqual([hashes[0].toString("hex")]);
  await scene.harvest();
  expect(await scene.channels(hashes[0])).toEqual(["unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"]);
  expect(await scene.channels(hashes[1])).toEqual(["confirmedAdded"]);
});

test("it ends as the other node said when the followed one has it no longer", async () => {
  const payload = transfer(3n);
  const hash = await scene.push(payload);
  await addAtOther(payload);
  await scene.untilReported(hash, "unconfirmedAdded");
  await poolIsRead();
  await endAtOther(payload);
  await poolIsRead();
  expect(await scene.channels(hash)).toEqual(["unconfirmedAdded"]);
  scene.fixture.devnet.handlers.set(PacketType.pullTransactions, () => Buffer.alloc(0));
  await scene.untilReported(hash, "status");
  expect(await scene.channels(hash)).toEqual(["unconfirmedAdded", "unconfirmedRemoved", `status ${INSUFFICIENT}`]);
});

test("copies of a status for several addresses that a busy process reads late are one message", async () => {
  let attempts = 0;
  let together = 0;
  // On a machine that is too busy for it, fewer attempts are in time.
  for (let tries = 0; attempts < 9 && tries < 500; ++tries) {
    const hash = Buffer.alloc(32, `${performance.now()}`);
    const status = Buffer.concat([hash, Buffer.alloc(12)]);
    status.writeUInt32LE(StatusCode[INSUFFICIENT], 40);
    const startedAt = performance.now();
    await broker.publish([topic(BROKER_TOPIC.status), status]);
    await pause(4);
    const published = broker.publish([Buffer.concat([BROKER_TOPIC.status, bob.address]), status]);
    // Before the first can have been passed on.
    if (performance.now() - startedAt < 9) attempts += 1;
    else continue;
    while (performance.now() - startedAt < 50);
    await published;
    await scene.untilReported(hash, "status");
    together += (await scene.life(hash))[0]?.addresses.length === 2 ? 1 : 0;
  }
  expect(together).toBeGreaterThanOrEqual(attempts / 2);
});
