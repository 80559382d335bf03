import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { TestClient } from "../gateway/websocket-fixture.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { transferPayload } from "../support/transfers.js";
import { until } from "../support/until.js";

const quickIndexer = fileURLToPath(new URL("../support/quick-indexer.js", import.meta.url));
const GATEWAYS = 3;

let folder: string;
let devnet: DevnetFixture;
let index: IndexedDatabase;
let gateways: TestProcess[];
let clients: TestClient[];
const processes: TestProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-standby-"));
  devnet = await DevnetFixture.start();
  await devnet.devnet.harvest(5);
  index = await IndexedDatabase.create();
  gateways = Array.from({ length: GATEWAYS }, () => start("gateway", { HOST: "127.0.0.1", PORT: "0" }));
});

afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  await index?.drop();
  await devnet?.stop();
  await rm(folder, { recursive: true });
});

function start(command: string, env: Record<string, string> = {}): TestProcess {
  const started = startProcess([command], {
    ...(command === "indexer" && { script: quickIndexer }),
    env: {
      DATABASE_URL: index.url,
      CATAPULT_NODES: `127.0.0.1:${devnet.devnet.port}`,
      CATAPULT_TLS_DIR: path.join(folder, `tls-${processes.length}`),
      CATAPULT_RESOURCES: devnet.devnet.resourcesDirectory,
      ...env,
    },
  });
  processes.push(started);
  return started;
}

async function portOf(gateway: TestProcess): Promise<string> {
  const line = await gateway.waitFor(/"port":\d+/);
  return line.replace(/\D/g, "");
}

/** Creates blocks, each with a transfer. */
async function harvest(blocks: number): Promise<void> {
  const [alice, bob] = devnet.devnet.accounts;
  if (!alice || !bob) throw new Error("the devnet has too few accounts");
  for (let i = 0; i < blocks; i++) {
    devnet.devnet.announce(transferPayload(devnet.devnet, alice, bob.address, BigInt(devnet.devnet.height)));
    await devnet.devnet.harvest(1);
  }
}

/** All events of the subscribed channels, as the indexers wrote them. */
async function eventsFrom(sequence: number): Promise<{ topic: string; sequence: number }[]> {
  return index.db
    .selectFrom("events")
    .select(["channel as topic", "sequence"])
    .where("channel", "in", ["block", "confirmedAdded"])
    .where("sequence", ">=", sequence)
    .orderBy("sequence")
    .execute();
}

const tip = () => devnet.devnet.block(devnet.devnet.height).hash;

test("the second indexer takes over when the first is killed, and clients of all gateways receive everything once", async () => {
  const active = start("indexer");
  await active.waitFor("Following the node");
  const standby = start("indexer");
  await standby.waitFor("waiting to take over");
  await index.waitForHash(tip());
  const ports = await Promise.all(gateways.map(portOf));
  clients = await Promise.all(ports.map((port) => TestClient.connect(`ws://127.0.0.1:${port}/ws`)));
  const from = (await index.waitForHash(tip())).eventSequence + 1;
  for (const client of clients) client.resume(from, "block", "confirmedAdded");
  const first = devnet.devnet.height + 1;
  await harvest(4);
  await index.waitForHash(tip());
  await active.kill();
  const killedAt = performance.now();
  await harvest(3);
  await index.waitForHash(tip());
  process.stderr.write(`took over after ${Math.round(performance.now() - killedAt)} ms\n`);
  await harvest(3);

  const { height } = devnet.devnet;
  for (const client of clients) {
    const received = (topic: string) => client.messages.filter((message) => message.topic === topic);
    await until(() => received("confirmedAdded").at(-1)?.data.meta?.height === String(height), "the last transfer");
    const heights = received("block").map(({ data }) => Number(data.block?.height));
    expect(heights).toEqual(Array.from({ length: height - first + 1 }, (_, i) => first + i));
    expect(received("confirmedAdded").map(({ data }) => Number(data.meta?.height))).toEqual(heights);
    expect(client.messages.map(({ topic, sequence }) => ({ topic, sequence }))).toEqual(await eventsFrom(from));
  }
  const [one, ...others] = clients.map(({ messages }) => messages);
  for (const other of others) expect(other).toEqual(one);
  process.stderr.write(`messages that each client received, once and in order: ${one?.length}\n`);
  expect(standby.output).not.toContain('"level":50');
});

test("a stopping gateway notifies its clients, and ends in order", async () => {
  const exits = await Promise.all(gateways.map((gateway) => gateway.kill("SIGTERM")));
  expect(exits).toEqual(gateways.map(() => ({ code: 0, signal: null })));
  for (const client of clients) expect(await client.ended()).toMatchObject({ code: 1001 });
});
