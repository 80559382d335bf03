import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ChannelName, channels } from "../../catapult/structs/message.js";
import type { Gateway } from "../../gateway/server.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";
import { EventWriter, type TestEvent } from "../support/event-writer.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { ResumingCrowd } from "../support/resuming-crowd.js";
import { SeededRandom } from "../support/seeded-random.js";
import { startTestGateway } from "../support/test-gateway.js";
import { anyMoment } from "../support/until.js";
import { randomAddress } from "./websocket-fixture.js";

/** `TEST_CUTS=10000` draws more. */
const CUTS = Number(process.env.TEST_CUTS ?? 150);
const [one, other] = [randomAddress(), randomAddress()];
const CHANNELS = ["block", "finalizedBlock", "confirmedAdded", "status", "cosignature"] as const;
const TOPICS = [
  ["block", "finalizedBlock"],
  ["status", `status/${one.text}`, `cosignature/${other.text}`, "block"],
  [`confirmedAdded/${one.text}`, `confirmedAdded/${other.text}`],
];

const random = new SeededRandom();
let database: TestDatabase;
let writer: EventWriter;
let crowd: ResumingCrowd;
const gateways: Gateway[] = [];

beforeAll(async () => {
  database = await createMigratedDatabase();
  writer = new EventWriter(database.url);
  await writer.begin();
  gateways.push(await startGateway(), await startGateway());
  crowd = new ResumingCrowd(() => `127.0.0.1:${gateways[random.below(gateways.length)]!.port}`, TOPICS);
  await crowd.start();
});

afterAll(async () => {
  await crowd?.stop();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await writer?.close();
  await database?.drop();
});

function startGateway(): Promise<Gateway> {
  return startTestGateway({
    ...{ databaseUrl: database.url, nodes: [{ host: "127.0.0.1", port: 1 }] },
    ...{ deliversWebhooks: true, webhookPrivateNetworks: ["127.0.0.1"] },
  });
}

function drawnEvent(n: number): TestEvent {
  const channel: ChannelName = CHANNELS[random.below(CHANNELS.length)]!;
  const addresses = channels[channel].addressed ? [one.bytes, other.bytes].filter(() => random.below(2) === 0) : [];
  return { channel, addresses, data: { n, padding: "x".repeat(random.below(40) ** 3) } };
}

/** Cuts some of the connections to the database, whatever they are doing. */
async function cutDatabase(): Promise<void> {
  await writer.query(
    `SELECT pg_terminate_backend(pid) FROM ${OWN_CONNECTIONS}
     WHERE application_name LIKE 'symbol-gateway%' AND random() < 0.5`,
  );
}

async function restartGateway(): Promise<void> {
  const place = random.below(gateways.length);
  await gateways[place]!.stop();
  gateways[place] = await startGateway();
}

test(`${CUTS} cuts (TEST_CUTS): each topic's events arrive once, in order, on /ws, on /events, over GraphQL and at a webhook`, async () => {
  for (let cut = 0; cut < CUTS; cut++) {
    await writer.write(...Array.from({ length: random.below(12) }, (_, n) => drawnEvent(n)));
    const drawn = random.below(100);
    if (drawn < 5) await restartGateway();
    else if (drawn < 25) await cutDatabase();
    else crowd.drop(random);
    if (random.below(4) === 0) await anyMoment(random, 20);
  }
  await writer.write(...CHANNELS.map((channel) => ({ channel, data: "the end", addresses: [one.bytes, other.bytes] })));
  expect(await crowd.problems(writer)).toEqual([]);
  expect(crowd.received).toBeGreaterThan(10 * CUTS);
});
