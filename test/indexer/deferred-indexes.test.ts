import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { pino } from "pino";
import { readIndexPoint } from "../../database/queries/head.js";
import type { BackfillOptions } from "../../indexer/backfill.js";
import { createDeferredIndexes, DEFERRED_TABLES, deferIndexes } from "../../indexer/chain/step/deferred-indexes.js";
import { BranchNode } from "../support/branch-node.js";
import { silentLog } from "../support/connection-fixtures.js";
import { fillExecuted } from "../support/fill-executed.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { recordedConfig } from "../support/known-networks.js";
import { RecordedChain } from "../support/recorded-chain.js";
import { recordedNode } from "../support/recorded-node.js";
import { until } from "../support/until.js";

const BLOCKS = 120;
const NEVER = new AbortController().signal;
const chain = new RecordedChain();

let node: BranchNode;
let index: IndexedDatabase;
/** Definitions of all indexes of a migrated database, by name. */
let all: readonly unknown[];

beforeAll(async () => {
  const { blocks, ...recording } = recordedNode(chain);
  node = await BranchNode.start({ ...recording, blocks: blocks.slice(0, BLOCKS) });
});
afterAll(() => node.close());

beforeEach(async () => {
  index = await IndexedDatabase.create();
  all = await indexes();
});
afterEach(() => index.drop());

async function indexes(): Promise<readonly unknown[]> {
  const { rows } = await sql`
    select indexname, indexdef, indisunique, indisvalid from pg_indexes
    join pg_index on indexrelid = indexname::regclass
    where schemaname = current_schema() order by indexname`.execute(index.db);
  return rows;
}

const missing = async () => (await index.db.selectFrom("deferred_indexes").selectAll().execute()).length;

const fill = (options: Partial<BackfillOptions> = {}, signal?: AbortSignal) => {
  const fixed = { nodes: [node.address], verify: "hashes", limits: { deferIndexesFrom: BLOCKS } } as const;
  return fillExecuted(index, recordedConfig(chain), { ...fixed, ...options }, signal);
};

/** Fills the index, but ends before its indexes are created. */
async function fillWithoutIndexes(): Promise<void> {
  const stop = new AbortController();
  await fill({ onProgress: ({ height }) => height === BLOCKS && stop.abort() }, stop.signal);
  expect(await readIndexPoint(index.db)).toMatchObject({ height: BLOCKS, missingIndexes: await missing() });
  expect(await missing()).toBeGreaterThan(10);
}

test("indexes that are deferred and created again are the same", async () => {
  await deferIndexes(index.db);
  const left = await indexes();
  expect(left.length).toBe(all.length - (await missing()));
  // A process that was stopped before continues.
  await deferIndexes(index.db);
  expect(await indexes()).toEqual(left);
  expect(await createDeferredIndexes({ db: index.db, log: silentLog }, NEVER)).toBe(all.length - left.length);
  expect(await indexes()).toEqual(all);
  expect(await createDeferredIndexes({ db: index.db, log: silentLog }, NEVER)).toBe(0);
});

test("a long range is filled without them, and has them at the end", async () => {
  await fill();
  expect(await indexes()).toEqual(all);
  expect(await readIndexPoint(index.db)).toMatchObject({ height: BLOCKS, missingIndexes: 0 });
});

test("after a stop before their creation, they are created, and the tables are vacuumed", async () => {
  await fillWithoutIndexes();
  await fill();
  expect(await indexes()).toEqual(all);
  const { rows } = await sql`
    select relname from pg_stat_user_tables
    where relname = any(${[...DEFERRED_TABLES]}) and (last_vacuum is null or last_analyze is null)`.execute(index.db);
  expect(rows).toEqual([]);
});

test("an indexer creates them before it follows", async () => {
  await fillWithoutIndexes();
  await index.follow(node.address);
  await until(async () => (await missing()) === 0, "the indexes are created");
  expect(await indexes()).toEqual(all);
});

test("their creation may be stopped in between; those in progress are completed", async () => {
  await deferIndexes(index.db);
  const before = await missing();
  const stop = new AbortController();
  const log = pino({}, { write: (line) => line.includes("Created an index") && stop.abort() });
  const created = await createDeferredIndexes({ db: index.db, log }, stop.signal);
  expect([1, 2]).toContain(created);
  expect(await missing()).toBe(before - created);
  expect(await createDeferredIndexes({ db: index.db, log: silentLog }, NEVER)).toBe(before - created);
  expect(await indexes()).toEqual(all);
});
