import { readFile, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { PacketType } from "../../catapult/wire/packet-type.js";
import { BranchNode } from "../support/branch-node.js";
import { serverCredentials, silentLog } from "../support/connection-fixtures.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { generateLargeBlock, writeResources } from "../support/large-block.js";
import { nodeInfoOf } from "../support/node-info.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { trustNobody } from "../support/untrusting-node.js";

const MEGABYTE = 1_000_000;
const BYTES = Number(process.env.TEST_LARGE_BLOCK_MB ?? 40) * MEGABYTE;
/** Without the block, in bytes, and per byte of the block. */
const FOLLOWING = { base: 210 * MEGABYTE, times: 2.75 };
const FILLING = { base: 280 * MEGABYTE, times: 2.25 };

const { network, blocks, transactions } = generateLargeBlock(BYTES);
let folder: string;
let node: BranchNode;
let requests = 0;

beforeAll(async () => {
  folder = await writeResources(network.properties);
  const { identity } = network;
  const served = { blocks, network: identity, nodeInfo: nodeInfoOf(identity), credentials: serverCredentials };
  node = await BranchNode.start({ ...served, log: silentLog });
  trustNobody(node);
  const pull = node.handlers.get(PacketType.pullBlocks)!;
  node.handlers.set(PacketType.pullBlocks, (...request) => {
    requests += 1;
    return pull(...request);
  });
}, 300_000);

afterAll(async () => {
  await node?.close();
  await rm(folder, { recursive: true });
});

function run(databaseUrl: string, ...args: string[]): TestProcess {
  const { host, port } = node.address;
  const env = { DATABASE_URL: databaseUrl, CATAPULT_NODES: `${host}:${port}`, DATA_DIR: folder, LOG_FORMAT: "json" };
  return startProcess(args, { env: { ...env, CATAPULT_RESOURCES: folder, STATE_SOURCE: "execute" }, cwd: folder });
}

async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return 1024 * Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]);
}

/** Ends the first connection that writes the block, while it writes. @returns whether it was ended */
async function cutWhileWriting({ db }: IndexedDatabase, isOver: () => boolean): Promise<boolean> {
  const cut = sql<{ cut: boolean }>`
    select pg_terminate_backend(pid) as cut from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state = 'active'
      and query ~ '^copy "raw_blocks"' and query_start < clock_timestamp() - interval '20 ms'`;
  while (!isOver()) {
    if ((await cut.execute(db)).rows.length > 0) return true;
    await sleep(5);
  }
  return false;
}

/**
 * Runs a program until the index has the large block; its connection is cut while it writes that for the first time.
 * @returns its peak memory, in bytes
 */
async function peakOf(program: "indexer" | "backfill"): Promise<number> {
  const index = await IndexedDatabase.create();
  requests = 0;
  const startedAt = performance.now();
  const running = run(index.url, program);
  let peak = 0;
  let isOver = false;
  const sample = async () => {
    peak = Math.max(peak, await peakMemory(running.pid).catch(() => 0));
  };
  const timer = setInterval(sample, 20);
  try {
    const cutting = cutWhileWriting(index, () => isOver);
    await index.waitFor(({ height }) => height === 2, 300_000);
    isOver = true;
    expect(await cutting).toBe(true);
    await sample();
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    process.stderr.write(
      `${program}, cut once: a block of ${BYTES / MEGABYTE} MB with ${transactions} transactions takes ` +
        `${Math.round(peak / MEGABYTE)} MB and ${seconds} s, ${requests} requests for blocks\n`,
    );
    expect(requests).toBe(2);
    return peak;
  } finally {
    isOver = true;
    clearInterval(timer);
    await running.kill("SIGKILL");
    await index.drop();
  }
}

test.each([
  ["indexer", FOLLOWING],
  ["backfill", FILLING],
] as const)(
  "%s: memory is bounded by the block's size, also when writing it fails and it is fetched again",
  async (program, { base, times }) => {
    expect(await peakOf(program)).toBeLessThan(base + times * BYTES);
  },
  900_000,
);
