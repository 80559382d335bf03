import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TransactionStatusBody } from "../../catapult/json/transaction-status.js";
import { channels } from "../../catapult/structs/message.js";
import type { DevnetAccount } from "../../devnet/devnet.js";
import type { Gateway } from "../../gateway/server.js";
import { TestClient } from "../gateway/websocket-fixture.js";
import { BrokerRelay } from "../support/broker-relay.js";
import { LifeScene } from "../support/lifecycle-scene.js";
import { MessageOrder } from "../support/message-order.js";
import { sendJson } from "../support/rest-client.js";
import { SeededRandom } from "../support/seeded-random.js";
import { anyMoment, pause, until } from "../support/until.js";

/** Of each walk; `TEST_ANNOUNCEMENTS=10000` takes long. */
const ANNOUNCEMENTS = Number(process.env.TEST_ANNOUNCEMENTS ?? 40);
const DAY_S = 24 * 3_600;
/** Short enough to be accepted by a gateway that has not noticed the last leaps of the node's clock. */
const DEADLINE_S = 1_200;
/** Number of announcements between leaps of the node's clock: it ignores for ten minutes what it has rejected. */
const LEAP_EVERY = 120;
const LEAP_MS = 601_000;
/** Most hashes that are polled at once: the newest, and some of the others. */
const POLLED = 400;
const CHANNELS = Object.keys(channels);

/** What is known about an announced hash. */
interface Followed {
  /** Its last status. */
  group: string;
  /** Number of forks that the index had followed when it was first seen alive after it was not. */
  aliveSince: number;
}

const sources = ["with a broker", "without a broker", "with a broker that dies"] as const;

describe.each(sources)("a walk of drawn announcements, %s", (source) => {
  const random = new SeededRandom();
  const order = new MessageOrder();
  const followed = new Map<string, Followed>();
  const problems: string[] = [];
  const drawn: Record<string, number> = {};
  let scene: LifeScene;
  let relay: BrokerRelay | undefined;
  let gateway: Gateway;
  let client: TestClient;
  let alice: DevnetAccount;
  let bob: DevnetAccount;
  let forks = 0;
  /** Those that the index has followed: until then, it shows what they will remove. */
  let followedForks = 0;
  let polls = 0;
  /** Sequence of the newest message that was received. */
  let newest = 0;
  /** Whether deadlines pass: everything ends. */
  let isEnding = false;
  /** What is to be done with bonded aggregates in later steps. */
  let later: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    scene = await LifeScene.start(async (endpoint) => {
      if (source === "without a broker") return {};
      relay = source === "with a broker that dies" ? await BrokerRelay.start(endpoint) : undefined;
      return { zmqUrl: relay?.url ?? endpoint };
    });
    [alice, bob] = ["alice", "bob"].map((name) => scene.fixture.account(name)) as [DevnetAccount, DevnetAccount];
    gateway = await scene.serve({ compatibility: "catapult-rest" });
    const { eventSequence } = await scene.index.waitFor(() => true);
    client = await TestClient.connect(`ws://127.0.0.1:${gateway.port}/ws`);
    client.resume(eventSequence + 1, ...CHANNELS);
  });

  afterAll(async () => {
    await client?.close();
    await gateway?.stop();
    await relay?.close();
    await scene?.stop();
  });

  const hexOf = (bytes: Buffer) => bytes.toString("hex").toUpperCase();

  const send = (method: string, path: string, body: unknown) =>
    sendJson(method, `http://127.0.0.1:${gateway.port}${path}`, body);

  /** @returns the hash of a transaction that was accepted */
  async function announce(payload: Buffer, path = "/transactions"): Promise<Buffer> {
    const hash = scene.make.hashOf(payload);
    const { status } = await send("PUT", path, { payload: hexOf(payload) });
    if (status === 202 && !followed.has(hexOf(hash))) followed.set(hexOf(hash), { group: "unknown", aliveSince: 0 });
    return hash;
  }

  const transfer = (amount: bigint, feeMultiplier?: number) =>
    scene.make.transaction(alice, scene.transfer(bob.address, amount), { feeMultiplier, deadlineSeconds: DEADLINE_S });
  const parts = () => [alice, bob].map((signer) => scene.make.embedded(signer, scene.transfer(bob.address, 1n)));

  const complete = () =>
    scene.make.aggregate(
      { embedded: parts(), signer: alice, cosigners: [bob] },
      { cosignaturesToCome: 1, deadlineSeconds: DEADLINE_S },
    );

  const cosign = (signer: DevnetAccount, hash: Buffer) =>
    send("PUT", "/transactions/cosignature", {
      parentHash: hexOf(hash),
      signerPublicKey: hexOf(signer.publicKey),
      signature: hexOf(scene.make.cosignature(signer, hash).subarray(40, 104)),
      version: "0",
    });

  /** A lock, its aggregate and a cosignature, in any order, some of them later, with attempts to cosign as its signer. */
  async function bond(): Promise<void> {
    const payload = scene.make.aggregate(
      { embedded: parts(), signer: alice, isBonded: true },
      { cosignaturesToCome: 1, deadlineSeconds: DAY_S },
    );
    const hash = scene.make.hashOf(payload);
    const lock = scene.make.transaction(
      alice,
      { ...scene.hashLock(hash), duration: 1_000n },
      { deadlineSeconds: DEADLINE_S },
    );
    const aggregate = () => announce(payload, "/transactions/partial");
    const steps = [() => announce(lock), aggregate, () => cosign(bob, hash)];
    if (random.below(4) === 0) steps.push(() => cosign(alice, hash));
    for (const step of shuffled(steps)) {
      const fate = random.below(8);
      if (fate === 0) later.push(step);
      else if (fate > 1) await step();
    }
    // Again, as who was told that the lock is unknown.
    if (random.below(2) === 0) later.push(aggregate);
  }

  function shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, key: random.below(1_000_000) }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  }

  const kinds: readonly (readonly [name: string, weight: number, work: () => Promise<unknown>])[] = [
    ["good", 10, () => announce(transfer(BigInt(random.below(1_000))))],
    ["too much", 3, () => announce(transfer(10n ** 16n))],
    ["low fee", 2, () => announce(transfer(1n, 0))],
    ["complete", 2, () => announce(complete())],
    ["bonded", 3, bond],
    [
      "twice",
      3,
      async () => {
        const payload = transfer(5n);
        for (let times = 2 + random.below(2); times > 0; --times) await announce(payload);
      },
    ],
    [
      "forged",
      2,
      async () => {
        const payload = transfer(6n);
        payload.fill(7, 40, 72);
        await announce(payload);
      },
    ],
  ];

  function draw() {
    const sum = kinds.reduce((total, [, weight]) => total + weight, 0);
    let place = random.below(sum);
    return kinds.find(([, weight]) => {
      place -= weight;
      return place < 0;
    })!;
  }

  async function makeBlocks(): Promise<void> {
    const { devnet } = scene.fixture;
    if (random.below(6) === 0 && devnet.height > devnet.finalized.height + 3) {
      forks += 1;
      const from = devnet.height - 1 - random.below(2);
      devnet.fork({ from, blocks: devnet.height - from + 1, keepTransactions: random.below(2) === 0 });
    } else {
      await devnet.harvest(1 + random.below(2));
    }
    if (random.below(10) === 0) devnet.closeConnections();
  }

  async function poll(): Promise<void> {
    const hashes = [...followed.keys()];
    const chosen = new Set(hashes.slice(-POLLED / 2));
    for (let count = 0; count < POLLED / 2 && hashes.length > 0; ++count)
      chosen.add(hashes[random.below(hashes.length)]!);
    const forksBefore = followedForks;
    const { status, body } = await send("POST", "/transactionStatus", { hashes: [...chosen] });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    polls += 1;
    for (const one of body as TransactionStatusBody[]) observe(one, forksBefore);
  }

  /** @param since number of followed forks before the status was read */
  function observe({ hash, group, code, held }: TransactionStatusBody, since: number): void {
    const known = followed.get(hash);
    if (!known) return;
    const now = held ? "held" : group;
    const isAlive = (name: string) => ["partial", "unconfirmed", "confirmed"].includes(name);
    const hasForked = forks > known.aliveSince;
    const isWrong =
      (isAlive(known.group) && now === "failed" && !isEnding) || (known.group === "confirmed" && now !== "confirmed");
    if (isWrong && !hasForked) problems.push(`${hash}: ${known.group}, then ${now} ${code}`);
    if (isAlive(now) && !isAlive(known.group)) known.aliveSince = since;
    known.group = now;
  }

  function listen(): void {
    for (const { topic, sequence, data } of client.messages.splice(0)) {
      order.take({ channel: topic, sequence, data });
      newest = sequence;
    }
  }

  test(`${ANNOUNCEMENTS} announcements: none fails while it is alive, each message once and in order, each has its end`, async () => {
    let hasEnded = false;
    const polling = (async () => {
      while (!hasEnded) {
        await poll();
        listen();
        await pause(5);
      }
    })();
    for (let announced = 0, leaps = 0; announced < ANNOUNCEMENTS; ) {
      for (let count = 1 + random.below(12); count > 0; --count) {
        const [name, , work] = draw();
        drawn[name] = (drawn[name] ?? 0) + 1;
        announced += 1;
        await work();
      }
      const due = later;
      later = [];
      if (announced > LEAP_EVERY * leaps) {
        leaps += 1;
        scene.pass(LEAP_MS);
      }
      if (random.below(3) > 0) await anyMoment(random, 120);
      await makeBlocks();
      await scene.index.waitForHash(scene.fixture.devnet.block(scene.fixture.devnet.height).hash);
      followedForks = forks;
      for (const work of due) await work();
      if (announced > ANNOUNCEMENTS / 2) relay?.cut();
    }
    isEnding = true;
    scene.pass((DAY_S + 3_600) * 1_000);
    await scene.harvest();
    hasEnded = true;
    await polling;
    const open = async () => {
      const hashes = [...followed.keys()];
      const found: string[] = [];
      for (let start = 0; start < hashes.length; start += 1_000) {
        const { body } = await send("POST", "/transactionStatus", { hashes: hashes.slice(start, start + 1_000) });
        for (const one of body as TransactionStatusBody[]) {
          observe(one, forks);
          if (one.group === "confirmed" || one.group === "failed") found.push(one.hash);
        }
      }
      return hashes.length - found.length;
    };
    await until(async () => (await open()) === 0, "every announcement has its end");
    const { eventSequence } = await scene.index.waitFor(() => true);
    await until(() => {
      listen();
      return newest >= eventSequence;
    }, "the last message");
    const ends: Record<string, number> = {};
    for (const { group } of followed.values()) ends[group] = (ends[group] ?? 0) + 1;
    process.stderr.write(
      `${source}: ${JSON.stringify({ ...drawn, hashes: followed.size, forks, polls, ends, messages: order.counts })}\n`,
    );
    expect(problems).toEqual([]);
    expect(order.problems).toEqual([]);
    // Many are good, and few forks drop them for ever.
    expect(ends.confirmed).toBeGreaterThan(followed.size / 10);
    expect(ends.failed).toBeGreaterThan(0);
  }, 3_600_000);
});
