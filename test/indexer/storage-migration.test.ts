import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Kysely, Migrator, PostgresDialect } from "kysely";
import pg from "pg";
import { requireSchema } from "../../cli/parts/schema-check.js";
import { backfill } from "../../indexer/backfill/backfill.js";
import { writeStep } from "../../indexer/follow/write.js";
import { compareSchema, migrateToLatest, migrations } from "../../migrations/migrate.js";
import { differences } from "../support/compare-databases.js";
import { clientCredentials, silentLog } from "../support/connection-fixtures.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { DevnetFixture } from "../support/devnet.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { writeStateScenario } from "../support/state-scenario.js";

/** Tables that the migration keeps, with what refers to others behind these. */
const KEPT = [
  "head",
  "raw_blocks",
  "finalized_blocks",
  "namespace_registrations",
  "accounts",
  "account_balances",
  "balance_levels",
  "mosaics",
  "namespaces",
  "multisigs",
  "metadata",
  "hash_locks",
  "secret_locks",
  "account_restrictions",
  "mosaic_restrictions",
  "counters",
  "spans",
] as const;
const LAST_OLD = "0013-indexer-failures";

let devnet: DevnetFixture;
let current: IndexedDatabase;
let older: TestDatabase;

beforeAll(async () => {
  devnet = await DevnetFixture.start();
  await writeStateScenario(devnet.devnet);
  current = await IndexedDatabase.create();
  await current.follow(devnet.devnet);
  await current.waitForState(devnet.devnet.block(devnet.devnet.height).hash);
  await current.stop();
  older = await createTestDatabase();
});

afterAll(async () => {
  await current?.drop();
  await older?.drop();
  await devnet?.stop();
});

/** The database as a version before the migration left it, as far as the migration does not drop it anyway. */
async function writeOlder(): Promise<void> {
  const pool = new pg.Pool({ connectionString: older.url, max: 1 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateTo(LAST_OLD);
  if (error) throw error;
  const source = new pg.Client({ connectionString: current.url });
  await source.connect();
  for (const table of KEPT) {
    const { rows } = await source.query<{ rows: string }>(
      `select coalesce(json_agg(t), '[]')::text as rows from ${table} t`,
    );
    await pool.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`, [
      rows[0]?.rows,
    ]);
  }
  await source.end();
  await pool.query("insert into deferred_indexes values ('transactions_top', 'create index')");
  await db.destroy();
}

test("an older database is rejected until it is filled from its own bytes, and is then as good as a new one", async () => {
  await writeOlder();
  expect(await migrateToLatest(older.url)).toContain("0014-storage");
  expect(await compareSchema(older.url)).toEqual({ missing: [], unknown: [], mustBeFilled: true });
  const message = /run symbol-gateway backfill --source raw/;
  await expect(requireSchema(older.url, silentLog, { writes: false })).rejects.toThrow(message);
  await expect(requireSchema(older.url, silentLog, { writes: true })).rejects.toThrow(message);
  await requireSchema(older.url, silentLog, { writes: true, fills: true });

  const options = {
    databaseUrl: older.url,
    nodes: [{ host: "127.0.0.1", port: devnet.devnet.port }],
    credentials: clientCredentials,
    log: silentLog,
    jobs: 1,
    verify: "hashes",
    maxRetryMs: 1,
  } as const;
  const signal = new AbortController().signal;
  await expect(backfill({ ...options, source: "raw", from: 2 }, signal)).rejects.toThrow(/--from must be 1, not 2/);
  const { height } = devnet.devnet;
  expect(await backfill({ ...options, source: "raw" }, signal)).toMatchObject({ height, blocks: height });
  expect(await compareSchema(older.url)).toMatchObject({ mustBeFilled: false });
  await requireSchema(older.url, silentLog, { writes: true });

  const filled = IndexedDatabase.at(older.url);
  await filled.follow(devnet.devnet);
  await filled.waitForState(devnet.devnet.block(height).hash);
  await filled.stop();
  await filled.drop();
  expect(await differences(current.url, older.url)).toEqual([]);
});

test("nothing is written to an unfilled database", async () => {
  await current.db.updateTable("head").set({ must_be_filled: true }).execute();
  const head = await current.db.selectFrom("head").select(["height", "hash"]).executeTakeFirstOrThrow();
  const step = { previous: head, blocks: [], announce: false };
  await expect(writeStep(current.db, step)).rejects.toThrow(/run symbol-gateway backfill --source raw/);
});
