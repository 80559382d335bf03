import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { addressOfPublicKey } from "../../catapult/entity/address.js";
import { openDatabase } from "../../database/connection.js";
import { readHead } from "../../database/queries/head.js";
import type { Devnet, DevnetAccount } from "../../devnet/devnet.js";
import { createMigratedDatabase } from "../support/database.js";
import { DevnetFixture, signedAggregate, signedPayload } from "../support/devnet.js";
import { startProcess } from "../support/process.js";
import { until } from "../support/until.js";
import { type Benchmark, type Figure, median, quantile } from "./benchmark.js";
import { measureInTurns } from "./compare.js";
import { GatewayProgram, withoutCache } from "./gateway-program.js";
import { loadHttp } from "./http-load.js";
import { insertAccounts } from "./loading.js";
import { withClient } from "./table-copies.js";

const ACCOUNTS = Number(process.env.BENCH_SIMULATE_ACCOUNTS ?? 1_000_000);
const BLOCKS = 300;
const EMBEDDED = 100;
/** Of each kind: every one is simulated once a round. */
const TRANSFERS = 200;
const AGGREGATES = 40;
const ROUNDS = 5;
const ANNOUNCED = 25;
const LOAD_CONNECTIONS = 4;
const RECIPIENTS = 5_000;
/** The inserted accounts have no valid addresses: some get them. The address is the second part of a value. */
const WITH_RECIPIENTS = `
  update accounts a set address = r.address, value = substring(value for 2) || r.address || substring(value from 27)
  from unnest($1::bytea[]) with ordinality r(address, n),
    (select id, row_number() over (order by public_key) as n from accounts where importance_height = 0) c
  where c.n = r.n and a.id = c.id`;

/** Simulating transactions, and what trying costs an announcement. */
export const simulate: Benchmark = {
  name: "simulate",
  title: "Simulating and announcing transactions",
  about:
    `\`POST /transactions/simulate\` in an index with ${ACCOUNTS.toLocaleString("en-US")} accounts that executes its blocks, ` +
    "one at a time over one connection: signed transfers, and aggregates of 100 transfers, all to different accounts; " +
    "alone, and beside pages of blocks (`/blocks?pageSize=100`, 4 connections, without the response cache). Then " +
    "`PUT /transactions`, in turns through a gateway that tries announcements, and one that pushes everything " +
    "(`ANNOUNCEMENTS=push`), with up to 50 transactions pending. Every answer is checked.",
  run,
};

async function run(say: (line: string) => void): Promise<readonly Figure[]> {
  const node = await DevnetFixture.start({ zmqPort: 0, gatherMs: 0 });
  const { devnet } = node;
  const database = await createMigratedDatabase();
  const folder = mkdtempSync(path.join(tmpdir(), "symbol-gateway-bench-"));
  const env = {
    DATABASE_URL: database.url,
    CATAPULT_NODES: `127.0.0.1:${devnet.port}`,
    CATAPULT_ZMQ: devnet.zmqEndpoint!,
    CATAPULT_RESOURCES: devnet.resourcesDirectory,
    DATA_DIR: folder,
  };
  const indexer = startProcess(["indexer"], { env, cwd: folder });
  const db = openDatabase({ url: database.url, poolSize: 1 });
  const indexed = async () => (await readHead(db))?.height === devnet.height;
  await devnet.harvest(BLOCKS);
  await until(indexed, "all blocks are indexed", 60_000);
  const recipients = Array.from({ length: RECIPIENTS }, () =>
    addressOfPublicKey(randomBytes(32), devnet.network.identifier),
  );
  await withClient(database.url, async (client) => {
    await insertAccounts(client, ACCOUNTS);
    await client.query(WITH_RECIPIENTS, [recipients]);
    await client.query("vacuum analyze accounts");
  });
  say(`${ACCOUNTS} accounts stored`);
  const [tries, pushes] = await Promise.all([
    GatewayProgram.start(database.url, env, withoutCache),
    GatewayProgram.start(database.url, { ...env, ANNOUNCEMENTS: "push" }, withoutCache),
  ]);
  const payloads = { transfer: [] as Buffer[], aggregate: [] as Buffer[] };
  const signer = devnet.accounts[0]!;
  for (let n = 0; n < TRANSFERS; n++) payloads.transfer.push(transfer(devnet, signer, recipients[n]!));
  for (let n = 0; n < AGGREGATES; n++) payloads.aggregate.push(aggregate(devnet, signer, recipients, n));
  say("transactions signed");

  const figures: Figure[] = [];
  for (const kind of ["transfer", "aggregate"] as const) {
    const name = kind === "transfer" ? "a transfer" : `an aggregate of ${EMBEDDED} transfers`;
    const bodies = payloads[kind].map((payload) => JSON.stringify({ payload: hexOf(payload) }));
    await simulateAll(tries.port, bodies);
    const alone = await repeat(() => simulateAll(tries.port, bodies));
    const beside = await repeat(() => besidePages(tries.port, () => simulateAll(tries.port, bodies)));
    for (const [column, times] of [
      ["alone", alone],
      ["beside pages", beside],
    ] as const) {
      figures.push(
        { what: `simulating ${name}, median`, samples: times.map(median), unit: "ms", column },
        { what: `simulating ${name}, p99`, samples: times.map((one) => quantile(one, 0.99)), unit: "ms", column },
      );
    }
    say(`simulated ${name}`);
  }
  let made = 0;
  const announceThrough = (gateway: GatewayProgram) => async () => {
    const bodies = Array.from({ length: ANNOUNCED }, () => {
      const payload = transfer(devnet, signer, recipients[made % recipients.length]!, BigInt(++made));
      return JSON.stringify({ payload: hexOf(payload) });
    });
    return median(await send(gateway.port, "PUT", "/transactions", bodies, 202, () => true));
  };
  const compared = await measureInTurns({
    ours: announceThrough(tries),
    baseline: async () => {
      const ms = await announceThrough(pushes)();
      await devnet.harvest(1);
      await until(indexed, "the block is indexed", 30_000);
      return ms;
    },
    rounds: 2 * ROUNDS,
  });
  await indexer.kill();
  await Promise.all([tries.stop(), pushes.stop()]);
  await db.destroy();
  await database.drop();
  await node.stop();
  rmSync(folder, { recursive: true });
  return [
    ...figures,
    { what: "announcing a transfer, median, tried", samples: compared.ours, unit: "ms" },
    { what: "announcing a transfer, median, pushed untried", samples: compared.baseline, unit: "ms" },
  ];
}

function transfer(devnet: Devnet, signer: DevnetAccount, recipientAddress: Buffer, amount = 1n): Buffer {
  return signedPayload(devnet, signer, { recipientAddress, amount });
}

function aggregate(devnet: Devnet, signer: DevnetAccount, recipients: readonly Buffer[], n: number): Buffer {
  const embedded = Array.from({ length: EMBEDDED }, (_, index) => ({
    signer,
    fields: { recipientAddress: recipients[(n * EMBEDDED + index) % recipients.length]!, amount: 1n },
  }));
  return signedAggregate(devnet, signer, { embedded });
}

async function repeat(measure: () => Promise<number[]>): Promise<number[][]> {
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure());
  return rounds;
}

function simulateAll(port: number, bodies: readonly string[]): Promise<number[]> {
  return send(port, "POST", "/transactions/simulate", bodies, 200, (text) => text.includes('"code":"Success"'));
}

/** Does something while pages of blocks are read. */
async function besidePages(port: number, work: () => Promise<number[]>): Promise<number[]> {
  let isOver = false;
  const page = (n: number) => `/blocks?pageSize=100&pageNumber=${1 + (n % 3)}`;
  const load = (async () => {
    while (!isOver) await loadHttp({ port, path: page, connections: LOAD_CONNECTIONS, ms: 250 });
  })();
  const times = await work();
  isOver = true;
  await load;
  return times;
}

/** Sends requests one at a time. @returns the time of each, in ms @throws Error when an answer is wrong */
async function send(
  port: number,
  method: string,
  target: string,
  bodies: readonly string[],
  status: number,
  isRight: (text: string) => boolean,
): Promise<number[]> {
  const times: number[] = [];
  for (const body of bodies) {
    const sentAt = performance.now();
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}${target}`, { method, headers, body });
    const text = await response.text();
    times.push(performance.now() - sentAt);
    if (response.status !== status || !isRight(text)) throw new Error(`${target} answered ${response.status} ${text}`);
  }
  return times;
}

function hexOf(bytes: Buffer): string {
  return bytes.toString("hex").toUpperCase();
}
