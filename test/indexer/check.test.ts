import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { addUpDays } from "../../indexer/chain/step/daily-sums.js";
import { noteEpoch } from "../../indexer/chain/step/network.js";
import type { CheckOptions } from "../../indexer/check/check.js";
import { checkIndex } from "../support/checked-index.js";
import { describeRecorded } from "../support/describe-chains.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { executedIndex, recordedBranchNode, recordedProofs } from "../support/recorded-index.js";
import { recordedNode } from "../support/recorded-node.js";
import { writeStateScenario } from "../support/state-scenario.js";
import { aggregatePayload, transferPayload } from "../support/transfers.js";
import { pause } from "../support/until.js";

/** More than between two skip pointers. */
const BLOCKS = 140;

let devnet: DevnetFixture;
let index: IndexedDatabase;
let client: pg.Client;

beforeAll(async () => {
  devnet = await DevnetFixture.start();
  await fillChain(devnet);
  index = await IndexedDatabase.create();
  await index.follow(devnet.devnet);
  await index.waitForHash(devnet.devnet.block(devnet.devnet.height).hash);
  await index.stop();
  client = new pg.Client({ connectionString: index.url });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await index?.drop();
  await devnet?.stop();
});

/** Every kind of state, transfers and an aggregate, in mostly finalized blocks. */
async function fillChain({ devnet: node }: DevnetFixture): Promise<void> {
  const { alice, bob } = await writeStateScenario(node);
  for (const payload of [transferPayload(node, alice, bob.address, 5n), aggregatePayload(node, alice, bob, 7n)]) {
    node.announce(payload);
    await node.harvest(1);
  }
  await node.harvest(BLOCKS - node.height);
  node.finalize(BLOCKS - 20);
}

function check(options: Partial<CheckOptions> = {}) {
  return checkIndex({ databaseUrl: index.url, nodes: [devnet.devnet], ...options });
}

describe("a check", () => {
  test("finds no difference in a database that an indexer wrote, and lists what it checked", async () => {
    const { found, left, checked } = await check();
    expect({ found, left }).toEqual({ found: [], left: [] });
    expect(Object.fromEntries(checked)).toMatchObject({ blocks: BLOCKS, "block hashes of the node": BLOCKS });
    expect(checked.get("rows of receipts")).toBeGreaterThan(BLOCKS);
    expect(checked.get("state trees")).toBe(9);
  });

  test("finds rows that are not in the chain", async () => {
    await client.query(
      "insert into transaction_addresses select id, 2 * 98989898, type / 2 from transactions where type % 2 = 0 limit 1",
    );
    const { found } = await check({ nodes: undefined });
    await client.query("delete from transaction_addresses where account = 2 * 98989898");
    expect(found).toContainEqual(
      expect.stringMatching(/^transaction_addresses account=197979796 id=\w+: is not in the chain$/),
    );
    expect(found).toContainEqual(expect.stringMatching(/^list_counters .*ByAddressTop of 98989898\): is missing/));
  });

  test("checks a sample of the blocks on request", async () => {
    await client.query("update blocks set score = score + 1 where height = 50");
    const near = await check({ from: 45, to: 55 });
    const far = await check({ from: 60 });
    await client.query("update blocks set score = score - 1 where height = 50");
    expect(near.found).toEqual([expect.stringMatching(/^blocks height=50 score: /)]);
    expect({ found: far.found, blocks: far.checked.get("blocks") }).toEqual({ found: [], blocks: BLOCKS - 59 });
    const sample = await check({ sample: 10 });
    expect({ found: sample.found, blocks: sample.checked.get("blocks") }).toEqual({ found: [], blocks: 10 });
  });

  test("ends after a number of differences", async () => {
    await client.query("update blocks set score = score + 1 where height < 140");
    const { differences, left } = await check({ maxDifferences: 7 });
    await client.query("update blocks set score = score - 1 where height < 140");
    expect(differences).toBe(7);
    expect(left).toEqual(["7 differences were found, and the check ended there"]);
  });

  test("rejects a node of another network", async () => {
    const other = await DevnetFixture.start({ seed: "another" });
    try {
      await expect(check({ nodes: [other.devnet] })).rejects.toThrow("the node serves");
    } finally {
      await other.stop();
    }
  });
});

describe("a check while the node continues", () => {
  beforeAll(async () => {
    await index.follow(devnet.devnet);
  });

  afterAll(async () => {
    await index.stop();
  });

  test("finds no difference, and skips nothing", async () => {
    const harvesting = (async () => {
      for (let blocks = 0; blocks < 10; blocks++) {
        await devnet.devnet.harvest(1);
        await pause(30);
      }
    })();
    const { found, left } = await check();
    await harvesting;
    await index.waitForHash(devnet.devnet.block(devnet.devnet.height).hash);
    expect({ found, left }).toEqual({ found: [], left: [] });
  });
});

describeRecorded("a check of the recorded chain", (chain) => {
  test("finds no difference", async () => {
    const { blocks } = recordedNode(chain);
    const node = await recordedBranchNode(chain, recordedProofs(chain));
    const recorded = await executedIndex(chain);
    try {
      const nodes = [node.address];
      const { found, left, checked } = await check({ databaseUrl: recorded.url, nodes });
      expect({ found, left }).toEqual({ found: [], left: [] });
      expect(checked.get("blocks")).toBe(blocks.length);
      expect(checked.get("state trees")).toBe(9);
    } finally {
      await recorded.drop();
      await node.close();
    }
  });
});

/** Changes a value of the matching rows. */
const changed = (table: string, column: string, expression: string, where: string) =>
  `update ${table} set ${column} = ${expression} where ${where}`;
const deleted = (table: string, where: string) => `delete from ${table} where ${where}`;
/** One of the rows for which a condition is true. */
const row = (table: string, where = "true") => `id = (select id from ${table} where ${where} order by id limit 1)`;

/** What is missing, and sums: each column of each table is changed in `check-columns.test.ts`. */
const changes: readonly (readonly [name: string, change: string, found: RegExp])[] = [
  ["the bytes of a block", deleted("raw_blocks", "height = 27"), /^raw_blocks height=27: is missing$/],
  ["a block", deleted("blocks", "height = 8"), /^blocks height=8: is missing$/],
  [
    "a transaction",
    deleted("transactions", "id = (select max(id) from transactions)"),
    /^transactions id=\w+: is missing$/,
  ],
  [
    "a missing sum by day",
    deleted("daily_sums", "measure = 2 and key = 2 * 16705 and day = (select max(day) from daily_sums)"),
    /^daily_sums measure=types day=\S+ mosaic=0 key=33410: is missing: the rows are \d+ with \d+$/,
  ],
  [
    "whom a transaction concerns",
    deleted(
      "transaction_addresses",
      "(id, account) = (select id, account from transaction_addresses order by id desc limit 1)",
    ),
    /^transaction_addresses account=\w+ id=\w+: is missing$/,
  ],
  [
    "a resolution",
    deleted("mosaic_resolution_statements", row("mosaic_resolution_statements")),
    /^mosaic_resolution_statements id=\w+: is missing$/,
  ],
  ["a counter of state", deleted("counters", "collection = 50"), /^counters collection=50 \(accounts\): is missing/],
  [
    "what is not the sum of what blocks did",
    changed(
      "balance_changes",
      "change",
      "change + 1",
      "height = 13 and ctid = (select min(ctid) from balance_changes where height = 13)",
    ),
    /^balance_changes mosaic_id=\w+ address=\w+: add up to \d+, but the account has \d+$/,
  ],
  [
    "a child namespace",
    deleted("namespaces", row("namespaces", "registration_type = 1")),
    /^namespaces namespace_id=\w+: is missing$/,
  ],
];

describe("a check of a database with many manual changes", () => {
  let found: readonly string[];

  beforeAll(async () => {
    // A day ends before block 60.
    const { timestamp } = await index.db
      .selectFrom("blocks")
      .select("timestamp")
      .where("height", "=", 60)
      .executeTakeFirstOrThrow();
    await noteEpoch(index.db, 20_000 * 86_400_000 - timestamp);
    expect(await addUpDays(index.db)).toBe(true);
    expect((await check()).found).toEqual([]);
    for (const [, change] of changes) {
      const { rowCount } = await client.query(change);
      if (rowCount !== 1) throw new Error(`${rowCount} rows were changed by: ${change}`);
    }
    found = (await check()).found;
  });

  test.each(changes)("names %s", (_name, _change, expected) => {
    expect(found).toContainEqual(expect.stringMatching(expected));
  });
});
