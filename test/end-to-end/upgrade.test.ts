import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Balancer } from "../support/balancer.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { DevnetFixture } from "../support/devnet.js";
import { freePort } from "../support/free-port.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { ResumingClient } from "../support/resuming-client.js";
import { ResumingStream } from "../support/resuming-stream.js";
import { transferPayload } from "../support/transfers.js";
import { pause, until } from "../support/until.js";

/** The folder of an older, compiled version; without it, this one is replaced by itself. */
const OLD_VERSION = process.env.TEST_OLD_VERSION;
const OLD_SCRIPT = OLD_VERSION && path.join(OLD_VERSION, "dist/cli/main.js");
const HAS_EVENTS = !OLD_VERSION || existsSync(path.join(OLD_VERSION, "dist/gateway/events"));
const GATEWAYS = 2;
const TOPICS = ["block", "confirmedAdded", "unconfirmedAdded", "unconfirmedRemoved", "finalizedBlock"];

let folder: string;
let devnet: DevnetFixture;
let before: TestDatabase;
let after: TestDatabase;
let balancer: Balancer;
let ports: number[];
let gateways: TestProcess[];
const processes: TestProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "symbol-gateway-upgrade-"));
  devnet = await DevnetFixture.start();
  await devnet.devnet.harvest(30);
  before = await createTestDatabase();
  after = await createTestDatabase();
  balancer = await Balancer.start();
  ports = await Promise.all(Array.from({ length: GATEWAYS }, freePort));
});

afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  await balancer?.close();
  await before?.drop();
  await after?.drop();
  await devnet?.stop();
  await rm(folder, { recursive: true });
});

interface Run {
  readonly args: readonly string[];
  readonly database: TestDatabase;
  readonly isOld?: boolean;
  readonly port?: number;
}

function start({ args, database, isOld, port }: Run): TestProcess {
  const { port: node, resourcesDirectory } = devnet.devnet;
  const started = startProcess(args, {
    ...(isOld && OLD_SCRIPT && { script: OLD_SCRIPT }),
    env: {
      ...{
        DATABASE_URL: database.url,
        CATAPULT_NODES: `127.0.0.1:${node}`,
      },
      ...{ CATAPULT_TLS_DIR: path.join(folder, `tls-${processes.length}`), CATAPULT_RESOURCES: resourcesDirectory },
      ...{ INDEXER_POLL_MS: "50", LOG_FORMAT: "json", HOST: "127.0.0.1", PORT: String(port ?? 0) },
      ...(isOld && OLD_SCRIPT && { STATE_SOURCE: "execute" }),
    },
  });
  processes.push(started);
  return started;
}

async function run(options: Run): Promise<void> {
  const started = start(options);
  const exit = await started.exited;
  if (exit.code !== 0) throw new Error(`${options.args.join(" ")} ended with ${exit.code}:\n${started.output}`);
}

async function startGateway(place: number, database: TestDatabase, isOld: boolean): Promise<TestProcess> {
  const gateway = start({ args: ["gateway"], database, isOld, port: ports[place]! });
  await gateway.waitFor(/"port":\d+/);
  return gateway;
}

/** A request on a connection of its own. */
function ask(method: "GET" | "PUT", target: string, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { connection: "close", ...(body && { "content-type": "application/json" }) };
    const asked = request(`http://${balancer.host}${target}`, { method, agent: false, headers }, (response) => {
      response
        .on("end", () => resolve(response.statusCode ?? 0))
        .on("error", reject)
        .resume();
    });
    asked.on("error", reject).end(body);
  });
}

test(`an index with rebuilt tables takes the place of one of ${OLD_VERSION ? "an older version" : "this version"} under load: no request fails, and clients that resume miss nothing`, async () => {
  await run({ args: ["migrate"], database: before, isOld: true });
  await run({ args: ["migrate"], database: after });
  const oldIndexer = start({ args: ["indexer"], database: before, isOld: true });
  gateways = [];
  for (const place of ports.keys()) gateways.push(await startGateway(place, before, true));
  balancer.use(ports);
  const old = IndexedDatabase.at(before.url);
  await old.waitFor(({ height }) => height >= devnet.devnet.height);

  const load = new Load();
  const client = new ResumingClient(() => `ws://${balancer.host}/ws`, TOPICS, 1);
  const query = (topics: readonly string[]) => topics.map((topic) => `topic=${topic}`).join("&");
  const stream = new ResumingStream((topics) => `http://${balancer.host}/events?${query(topics)}`, TOPICS);
  client.start();
  if (HAS_EVENTS) stream.start();
  load.start();
  await load.blocks(3);
  stream.drop();

  const filling = start({ args: ["backfill", "--source", before.url], database: after });
  await filling.waitFor("stop the indexer of the other database");
  await load.blocks(3);
  expect(await oldIndexer.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  expect(await filling.exited).toEqual({ code: 0, signal: null });
  for (const place of ports.keys()) {
    balancer.use(ports.filter((_, other) => other !== place));
    await gateways[place]!.kill("SIGTERM");
    gateways[place] = await startGateway(place, after, false);
    balancer.use(ports);
    // As after a lost connection: to a gateway of either version.
    stream.drop();
    await load.blocks(1);
  }
  await run({ args: ["backfill", "--source", before.url], database: after });
  const indexer = start({ args: ["indexer"], database: after });
  await load.blocks(3);
  await load.stop();

  const index = IndexedDatabase.at(after.url);
  await index.waitForHash(devnet.devnet.block(devnet.devnet.height).hash);
  await until(async () => (await pending(index)) === 0, "all transactions are confirmed");
  const events = await index.db.selectFrom("events").select(["channel", "sequence"]).orderBy("sequence").execute();
  for (const { heard, complaints } of HAS_EVENTS ? [client, stream] : [client]) {
    for (const topic of TOPICS) {
      const expected = events.filter(({ channel }) => channel === topic).map(({ sequence }) => sequence);
      await until(() => heard.get(topic)!.length >= expected.length, `${topic}: all ${expected.length} messages`);
      expect(heard.get(topic)).toEqual(expected);
    }
    expect(complaints).toEqual([]);
  }
  const blocks = await index.db
    .selectFrom("events")
    .select("height")
    .where("channel", "=", "block")
    .orderBy("sequence")
    .execute();
  expect(blocks.map(({ height }) => height)).toEqual(Array.from({ length: devnet.devnet.height }, (_, i) => i + 1));
  expect(load.failures).toEqual([]);
  process.stderr.write(`requests while the index was replaced: ${load.requests}; connections: ${client.connections}\n`);
  await client.stop();
  await stream.stop();
  expect(await indexer.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  await run({ args: ["check"], database: after });
}, 400_000);

async function pending(index: IndexedDatabase): Promise<number> {
  return (await index.db.selectFrom("unconfirmed_transactions").select("hash").execute()).length;
}

/** Requests, announcements and blocks, one after another. */
class Load {
  readonly failures: string[] = [];
  requests = 0;
  #blocks = 0;
  #isOver = false;
  #running: Promise<unknown> | undefined;

  start(): void {
    this.#running = Promise.all([
      this.#reads("/blocks?pageSize=10"),
      this.#reads("/transactions/confirmed"),
      this.#grow(),
    ]);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** Resolves after `count` further blocks. */
  async blocks(count: number): Promise<void> {
    const wanted = this.#blocks + count;
    await until(() => this.#blocks >= wanted, `${wanted} blocks`);
  }

  async #reads(target: string): Promise<void> {
    while (!this.#isOver) {
      await this.#expect(200, "GET", target);
      await pause(10);
    }
  }

  async #grow(): Promise<void> {
    const [alice, bob] = devnet.devnet.accounts;
    while (!this.#isOver) {
      const payload = transferPayload(devnet.devnet, alice!, bob!.address, BigInt(this.#blocks + 1)).toString("hex");
      await this.#expect(202, "PUT", "/transactions", JSON.stringify({ payload }));
      await devnet.devnet.harvest(1);
      if (this.#blocks % 4 === 0) devnet.devnet.finalize(devnet.devnet.height - 2);
      this.#blocks += 1;
      await pause(100);
    }
  }

  async #expect(status: number, method: "GET" | "PUT", target: string, body?: string): Promise<void> {
    this.requests += 1;
    const answer = await ask(method, target, body).catch((error: Error) => error.message);
    if (answer !== status) this.failures.push(`${method} ${target}: ${answer}`);
  }
}
