import { readFile, rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { PacketType } from "../../catapult/wire/packet-type.js";
import type { Db } from "../../database/database.js";
import { BranchNode } from "../support/branch-node.js";
import { CountingRelay } from "../support/counting-relay.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { generateLargeBlock, writeResources } from "../support/large-block.js";
import { OWN_CONNECTIONS } from "../support/own-catalogues.js";
import { startProcess, type TestProcess } from "../support/process.js";
import { until } from "../support/until.js";

const NOTHING = Buffer.alloc(0);
const MEGABYTE = 1_000_000;
const BYTES = Number(process.env.TEST_LARGE_BLOCK_MB ?? 40) * MEGABYTE;
/** How much of the block the node has sent when the connection to it is cut. */
const DELIVERED = 0.9;
/** Without the block, in bytes, and per byte of the block; beside other work, garbage is collected later. */
const FOLLOWING = { base: 300 * MEGABYTE, times: 2.4 };
const FILLING = { base: 320 * MEGABYTE, times: 2.25 };

const { network, blocks } = generateLargeBlock(BYTES);
let folder: string;
let node: BranchNode;
let relay: CountingRelay;
let requests = 0;

beforeAll(async () => {
  folder = await writeResources(network.properties);
  node = await BranchNode.start({ blocks, network: network.identity });
  const pull = node.handlers.get(PacketType.pullBlocks)!;
  node.handlers.set(PacketType.pullBlocks, async (...request) => {
    const answer = await pull(...request);
    const isLarge = Buffer.isBuffer(answer) && answer.length > DELIVERED * BYTES;
    if (isLarge) requests += 1;
    if (isLarge && requests === 1) relay.cutAfter(DELIVERED * BYTES);
    return answer;
  });
  relay = await new CountingRelay(node.address).open();
});

afterAll(async () => {
  await relay?.close();
  await node?.close();
  await rm(folder, { recursive: true });
});

function run(databaseUrl: string, ...args: string[]): TestProcess {
  const { host, port } = relay.address;
  const env = { DATABASE_URL: databaseUrl, CATAPULT_NODES: `${host}:${port}`, DATA_DIR: folder };
  // Creating an index would wait for the row of cutWhileWriting too.
  const rules = { CATAPULT_RESOURCES: folder };
  return startProcess(args, { env: { ...env, ...rules }, cwd: folder });
}

/** In bytes; 0 of a process that has just ended. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return 1024 * Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1] ?? 0);
}

/**
 * Cuts connections while the block is written: the writer's to the database the first time, that to the node the second
 * time.
 */
async function cutWhileWriting({ db }: IndexedDatabase): Promise<void> {
  const lock = await db.startTransaction().execute();
  try {
    // The writer waits, with all bytes of the block on its connection, to see whether this row is committed.
    const row = { height: 2, block: NOTHING, statement: NOTHING, sub_cache_merkle_roots: NOTHING };
    await lock.insertInto("raw_blocks").values(row).execute();
    const writer = await writerAfter(db, 0);
    await sql`select pg_terminate_backend(${writer})`.execute(db);
    await writerAfter(db, writer);
    relay.cut();
  } finally {
    await lock.rollback().execute();
  }
}

/** Waits for a connection that waits with the bytes of a block, but not the `previous` one. @returns its process id */
async function writerAfter(db: Db, previous: number): Promise<number> {
  let writer: number | undefined;
  await until(
    async () => {
      const { rows } = await sql<{ pid: number }>`
        select pid from ${sql.raw(OWN_CONNECTIONS)} where pid <> ${previous}
          and wait_event_type = 'Lock' and query like '%raw_blocks%'`.execute(db);
      writer = rows[0]?.pid;
      return writer !== undefined;
    },
    "the block is being written",
    300_000,
  );
  return writer as number;
}

/**
 * Runs a program until the index has the large block, cutting the connection to the node while it sends the block, then
 * those of {@link cutWhileWriting}.
 * @returns its peak memory, in bytes
 */
async function peakOf(program: "indexer" | "backfill"): Promise<number> {
  const index = await IndexedDatabase.create();
  requests = 0;
  const running = run(index.url, program);
  let peak = 0;
  const sample = async () => {
    peak = Math.max(peak, await peakMemory(running.pid));
  };
  const timer = setInterval(sample, 20);
  try {
    await cutWhileWriting(index);
    await index.waitFor(({ height }) => height === 2, 300_000);
    await sample();
    // A program that has the whole block, and can write it, needs no node.
    expect(requests).toBe(3);
    return peak;
  } finally {
    clearInterval(timer);
    await running.kill("SIGKILL");
    await index.drop();
  }
}

test.each([
  ["indexer", FOLLOWING],
  ["backfill", FILLING],
] as const)(
  "%s: memory is bounded by the block's size, also when it arrives in part, and when writing it fails",
  async (program, { base, times }) => {
    const peak = await peakOf(program);
    expect(peak).toBeGreaterThan(BYTES);
    expect(peak).toBeLessThan(base + times * BYTES);
  },
  900_000,
);
