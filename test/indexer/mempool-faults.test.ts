import { afterEach, describe, expect, test } from "@jest/globals";
import { BROKER_TOPIC } from "../../catapult/wire/zmq-message.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { IndexerOptions } from "../../indexer/indexer.js";
import { BrokerRelay } from "../support/broker-relay.js";
import { LifeScene } from "../support/lifecycle-scene.js";
import { LogLines } from "../support/log-lines.js";
import { SeededRandom } from "../support/seeded-random.js";
import { until } from "../support/until.js";

const WHOLE_LIFE = ["unconfirmedAdded", "unconfirmedRemoved", "confirmedAdded"];

describe("pending transactions are followed whatever the broker does", () => {
  let scene: LifeScene;
  let relay: BrokerRelay;
  let alice: DevnetAccount;
  let bob: DevnetAccount;

  async function start(options: Partial<IndexerOptions> = {}): Promise<void> {
    scene = await LifeScene.start(async (endpoint) => {
      relay = await BrokerRelay.start(endpoint);
      return { zmqUrl: relay.url, ...options };
    });
    await until(() => relay.subscribers === 1, "the indexer listens");
    [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
  }

  afterEach(async () => {
    await scene?.stop();
    await relay?.close();
  });

  const transfer = (amount: bigint) => scene.make.transaction(alice, scene.transfer(bob.address, amount));

  test("the connection is lost and restored: nothing is lost, nothing is repeated", async () => {
    await start();
    const before = await scene.push(transfer(1n));
    await scene.untilReported(before, "unconfirmedAdded");
    relay.cut();
    const during = await scene.push(transfer(2n));
    await scene.untilReported(during, "unconfirmedAdded");
    const gone = await scene.push(transfer(3n));
    await scene.untilReported(gone, "unconfirmedAdded");
    await scene.harvest();
    await relay.restore();
    await until(() => relay.subscribers === 1, "the indexer listens again");
    const after = await scene.push(transfer(4n));
    await scene.untilReported(after, "unconfirmedAdded");
    await scene.harvest();
    for (const hash of [before, during, gone, after]) expect(await scene.channels(hash)).toEqual(WHOLE_LIFE);
    expect(await scene.waiting("unconfirmed")).toEqual([]);
  });

  test("a broker that becomes silent on an open connection: the pool is the source", async () => {
    await start();
    relay.fallSilent();
    const hash = await scene.push(transfer(1n));
    await scene.untilReported(hash, "unconfirmedAdded");
    await scene.harvest();
    const next = await scene.push(transfer(2n));
    await scene.untilReported(next, "unconfirmedAdded");
    relay.fallSilent(false);
    await scene.harvest();
    for (const one of [hash, next]) expect(await scene.channels(one)).toEqual(WHOLE_LIFE);
  });

  test("hostile and malformed messages are logged and ignored", async () => {
    const log = new LogLines();
    await start({ log: log.logger });
    await scene.news();
    const random = new SeededRandom();
    const { address } = alice;
    const topic = (letter: Buffer) => Buffer.concat([letter, address]);
    const bytes = (length: number) => random.bytes(length);
    const payload = transfer(1n);
    const hash = scene.make.hashOf(payload);
    const height = Buffer.alloc(8);
    const forged = Buffer.from(payload);
    forged.writeUInt8(forged.readUInt8(9) ^ 1, 9);
    const otherHash = bytes(32);
    const cut = Buffer.from(payload.subarray(0, payload.length - 9));
    cut.writeUInt32LE(cut.length);
    const cosignature = Buffer.concat([Buffer.alloc(8), bob.publicKey, bytes(64), hash]);

    const rejected: Buffer[][] = [
      [],
      [bytes(3)],
      [bytes(25), bytes(40)],
      [BROKER_TOPIC.block],
      [BROKER_TOPIC.block, bytes(376), bytes(32), bytes(32)],
      [BROKER_TOPIC.block, bytes(10), bytes(32), bytes(32)],
      [BROKER_TOPIC.droppedBlocks, bytes(7)],
      [topic(BROKER_TOPIC.unconfirmed), payload],
      [topic(BROKER_TOPIC.unconfirmed), bytes(300), hash, hash, height],
      [topic(BROKER_TOPIC.unconfirmed), payload.subarray(0, 40), hash, hash, height],
      [topic(BROKER_TOPIC.unconfirmedRemoved), bytes(31)],
      [topic(BROKER_TOPIC.status), bytes(43)],
      [topic(BROKER_TOPIC.cosignature), bytes(135)],
    ].filter((frames) => frames.length > 0);
    const notHeld: Buffer[][] = [
      [topic(BROKER_TOPIC.unconfirmed), payload, otherHash, otherHash, height],
      [topic(BROKER_TOPIC.unconfirmed), forged, scene.make.hashOf(forged), hash, height],
      [topic(BROKER_TOPIC.unconfirmed), cut, scene.make.hashOf(cut), hash, height],
      [topic(BROKER_TOPIC.partial), payload, hash, hash, height],
      [topic(BROKER_TOPIC.cosignature), cosignature],
    ];
    await relay.say(...rejected, ...notHeld);
    for (let times = 0; times < 300; times += 1) {
      const kinds = Object.values(BROKER_TOPIC);
      const kind = kinds[random.below(kinds.length)]!;
      const frames = Array.from({ length: random.below(5) }, () => bytes(random.below(200)));
      await relay.say([kind.length === 1 ? topic(kind) : kind, ...frames]);
    }
    // Removals of unknown transactions change nothing.
    await relay.say(
      [topic(BROKER_TOPIC.unconfirmedRemoved), bytes(32)],
      [topic(BROKER_TOPIC.partialRemoved), bytes(32)],
    );

    const good = await scene.push(payload);
    await scene.untilReported(good, "unconfirmedAdded");
    await scene.harvest();
    expect(await scene.channels(good)).toEqual(WHOLE_LIFE);
    const strangers = (await scene.news()).filter((one) => one.hash !== good.toString("hex").toUpperCase());
    // A status needs no proof: any message with its layout is one.
    expect(strangers.filter(({ channel }) => channel !== "status")).toEqual([]);
    // The good one may have been found in the pool before the broker's messages were read.
    const isLogged = (what: RegExp, times: number) => until(() => log.matching(what).length >= times, `${what}`);
    await isLogged(/Rejected a message of the node's broker/, rejected.length - 2);
    await isLogged(/Rejected an invalid message of the node's broker/, notHeld.length);
    expect(log.matching(/"level":(50|60)/)).toEqual([]);
  });

  test("no more transactions are kept than allowed: the others follow when there is room", async () => {
    const log = new LogLines();
    await start({ log: log.logger, limits: { maxPending: 3, brokerReconnectMs: { first: 20, longest: 100 } } });
    const hashes: Buffer[] = [];
    for (let amount = 1n; amount <= 5n; amount += 1n) hashes.push(await scene.push(transfer(amount)));
    await until(async () => (await scene.waiting("unconfirmed")).length === 3, "three are pending");
    await log.waitFor(/Too many pending transactions/);
    expect(await scene.waiting("unconfirmed")).toHaveLength(3);
    await scene.harvest();
    const lifecycles = await Promise.all(hashes.map((hash) => scene.channels(hash)));
    expect(lifecycles.filter((lifecycle) => lifecycle.length === 3)).toHaveLength(3);
    expect(lifecycles.filter((lifecycle) => lifecycle.length === 1)).toHaveLength(2);
    const next = await scene.push(transfer(6n));
    await scene.untilReported(next, "unconfirmedAdded");
  });
});
