import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { encodeAddress } from "../../catapult/entity/address.js";
import { TestGateway } from "../gateway/websocket-fixture.js";
import { DevnetFixture } from "../support/devnet.js";
import { EventWriter } from "../support/event-writer.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { ResumingClient } from "../support/resuming-client.js";
import { ResumingStream } from "../support/resuming-stream.js";
import { SeededRandom } from "../support/seeded-random.js";
import { transferPayload } from "../support/transfers.js";
import { anyMoment, until } from "../support/until.js";

/** `TEST_DROPS=10000` draws more. */
const DROPS = Number(process.env.TEST_DROPS ?? 500);
/** How often each thing is cut, in percent. */
const MIX = { client: 68, database: 20, gateway: 8, indexer: 4 } as const;
type Cut = keyof typeof MIX;

let node: DevnetFixture;
let index: IndexedDatabase;
let writer: EventWriter;
const gateways: TestGateway[] = [];
const clients: (ResumingClient | ResumingStream)[] = [];

beforeAll(async () => {
  node = await DevnetFixture.start();
  index = await IndexedDatabase.create();
  await index.follow(node.devnet);
  await index.waitForHash(node.devnet.block(1).hash);
  writer = new EventWriter(index.url);
  gateways.push(await startGateway(), await startGateway());
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.stop()));
  await Promise.all(gateways.map((gateway) => gateway.close()));
  await writer.close();
  await index.drop();
  await node.stop();
});

function startGateway(): Promise<TestGateway> {
  const events = { pollIntervalMs: 200, backoff: { initialMs: 5, maxMs: 50 } };
  return TestGateway.start({ databaseUrl: index.url, events });
}

/** Cuts some of the database's connections, whatever they are doing. */
async function cutDatabaseConnections(random: SeededRandom): Promise<number> {
  const rows = await writer.query(
    `SELECT pid FROM ${OWN_CONNECTIONS} WHERE application_name IN
       ('symbol-gateway events', 'test gateway', 'symbol-gateway indexer', 'symbol-gateway writer lock')`,
  );
  const chosen = rows.filter(() => random.below(2) === 0).map(({ pid }) => pid);
  await writer.query(`SELECT pg_terminate_backend(pid) FROM unnest('{${chosen.join(",")}}'::int[]) pid`);
  return chosen.length;
}

/** Creates a block, or a fork, with a transfer now and then, and events of other writers. */
async function makeNews(random: SeededRandom, n: number): Promise<void> {
  const { devnet } = node;
  const [from, to] = [node.account("alice"), node.account("bob")];
  const kind = random.below(100);
  if (kind < 10) {
    if (random.below(2) === 0) devnet.announce(transferPayload(devnet, from, to.address, BigInt(n + 1)));
    await devnet.harvest(1);
  } else if (kind < 13 && devnet.height > 4) {
    devnet.fork({ from: devnet.height - 1 - random.below(2), blocks: 3 });
  } else if (kind < 55) {
    const addresses = random.below(2) === 0 ? [from.address] : [from.address, to.address];
    await writer.write(
      { channel: "status", data: { n }, addresses },
      { channel: "cosignature", data: { n }, addresses },
    );
  }
}

test(`${DROPS} forced drops and restarts: no client of /ws or /events misses or repeats an event`, async () => {
  const random = new SeededRandom();
  const [user1, user2] = ["alice", "bob"].map((name) => encodeAddress(node.account(name).address));
  const topicsOf = [
    ["block", "finalizedBlock", "droppedBlocks"],
    ["confirmedAdded", `status/${user1}`],
    [`confirmedAdded/${user1}`, `unconfirmedAdded/${user1}`, `unconfirmedRemoved/${user2}`],
    ["status", `cosignature/${user2}`, "block"],
    [`status/${user2}`],
  ];
  for (const topics of topicsOf) {
    const client = new ResumingClient(() => gateways[random.below(gateways.length)]!.url, topics, 1);
    clients.push(client);
    client.start();
  }

  const streamed = [
    ["block", "droppedBlocks", `confirmedAdded/${user1}`],
    ["status", `status/${user1}`, `status/${user2}`, `cosignature/${user2}`],
  ];
  for (const topics of streamed) {
    const urlOfAny = (wanted: readonly string[]) => gateways[random.below(gateways.length)]!.eventsUrl(...wanted);
    const client = new ResumingStream(urlOfAny, topics);
    clients.push(client);
    client.start();
  }

  // A restart continues while the next things are cut.
  const restarts = { gateway: Promise.resolve(), indexer: Promise.resolve() };
  const done: Record<Cut, number> = { client: 0, database: 0, gateway: 0, indexer: 0 };
  const started = performance.now();
  for (let n = 0; n < DROPS; n++) {
    await makeNews(random, n);
    const cut = choose(random.below(100));
    done[cut] += 1;
    if (cut === "client") clients[random.below(clients.length)]!.drop();
    else if (cut === "database") await cutDatabaseConnections(random);
    else {
      await restarts[cut];
      restarts[cut] = cut === "indexer" ? restartIndexer() : restartGateway(random.below(gateways.length));
    }
    if (random.below(4) === 0) await anyMoment(random, 12);
  }
  await Promise.all(Object.values(restarts));
  const seconds = (performance.now() - started) / 1_000;

  const { hash } = node.devnet.block(node.devnet.height);
  await index.waitForHash(hash);
  // It would write about pending transactions after the end.
  await index.stop();
  const last = await writer.write(
    ...(["block", "finalizedBlock", "droppedBlocks", "confirmedAdded", "status", "cosignature"] as const).map(
      (channel) => ({
        channel,
        data: "the end",
        addresses: [node.account("alice").address, node.account("bob").address],
      }),
    ),
  );
  const heardCount = () => clients.flatMap(({ heard }) => [...heard.values()]).flat().length;
  const expected = await eventsByTopic([...new Set([...topicsOf, ...streamed].flat())]);
  await until(
    () => clients.every(({ heard }) => [...heard].every(([topic, all]) => all.at(-1) === expected.get(topic)?.at(-1))),
    "every client has received the last event of each of its topics",
    60_000,
    heardCount,
  );

  expect(clients.flatMap(({ complaints }) => complaints)).toEqual([]);
  for (const { heard } of clients) {
    for (const [topic, sequences] of heard)
      expect({ topic, sequences }).toEqual({ topic, sequences: expected.get(topic) });
  }
  await expectLogToTellTheChain(last);
  const repeated = clients.reduce((sum, client) => sum + (client instanceof ResumingStream ? client.duplicates : 0), 0);
  process.stderr.write(
    `${DROPS} drops (${Object.entries(done)
      .map(([cut, count]) => `${cut} ${count}`)
      .join(", ")}) in ${seconds.toFixed(1)} s, ${last} events, ${heardCount()} messages over ` +
      `${clients.reduce((sum, { connections }) => sum + connections, 0)} connections: 0 lost, 0 doubled but ${repeated} on /events with the id after which they resumed\n`,
  );
});

function choose(number: number): Cut {
  let bound = 0;
  for (const [cut, share] of Object.entries(MIX)) {
    bound += share;
    if (number < bound) return cut as Cut;
  }
  throw new RangeError("The mix must make 100");
}

async function restartIndexer(): Promise<void> {
  await index.stop();
  await index.follow(node.devnet);
}

async function restartGateway(place: number): Promise<void> {
  await gateways[place]?.crash();
  gateways[place] = await startGateway();
}

/** The events that each topic should have received, from the database. */
async function eventsByTopic(topics: readonly string[]): Promise<Map<string, number[]>> {
  const rows = await index.db
    .selectFrom("events")
    .select(["sequence", "channel", "addresses"])
    .orderBy("sequence")
    .execute();
  const told = new Map<string, number[]>(topics.map((topic) => [topic, []]));
  for (const { sequence, channel, addresses } of rows) {
    for (const topic of [channel, ...addresses.map((address) => `${channel}/${encodeAddress(address)}`)]) {
      told.get(topic)?.push(sequence);
    }
  }
  expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, place) => place + 1));
  return told;
}

/** A client that keeps reported blocks, and drops those reported as dropped, has the node's chain. */
async function expectLogToTellTheChain(last: number): Promise<void> {
  const rows = await index.db
    .selectFrom("events")
    .select(["channel", "data"])
    .where("channel", "in", ["block", "droppedBlocks"])
    .where("sequence", "<=", last - 6)
    .orderBy("sequence")
    .execute();
  const chain: string[] = [];
  for (const { channel, data } of rows) {
    const told = JSON.parse(data);
    if (channel === "droppedBlocks") chain.length = Number(told.height);
    else {
      expect(Number(told.block.height)).toBe(chain.length + 1);
      chain.push(told.meta.hash);
    }
  }
  const { devnet } = node;
  expect(chain).toEqual(
    Array.from({ length: devnet.height }, (_, below) =>
      devnet
        .block(below + 1)
        .hash.toString("hex")
        .toUpperCase(),
    ),
  );
}
