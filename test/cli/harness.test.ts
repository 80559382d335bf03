import { afterAll, expect, test } from "@jest/globals";
import pg from "pg";
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from "../support/database.js";

const databases: TestDatabase[] = [];

afterAll(async () => {
  for (const database of databases) await database.drop();
});

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test("every test database is empty and separate", async () => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  databases.push(first, second);
  await ask(first.url, "CREATE TABLE mine ()");
  expect(await ask(second.url, "SELECT to_regclass('mine') AS found")).toEqual([{ found: null }]);
});

test("a migrated database has the schema, also with concurrent callers", async () => {
  const made = await Promise.all([createMigratedDatabase(), createMigratedDatabase(), createMigratedDatabase()]);
  databases.push(...made);
  for (const { url } of made) {
    const rows = await ask(url, "SELECT count(*)::int AS n FROM kysely_migration");
    expect(rows[0]?.n).toBeGreaterThan(0);
  }
});

test("the server speaks UTF-8 and sorts by bytes", async () => {
  const database = await createTestDatabase();
  databases.push(database);
  const rows = await ask(database.url, "SELECT current_setting('server_encoding') AS encoding, 'a' > 'B' AS by_bytes");
  expect(rows).toEqual([{ encoding: "UTF8", by_bytes: true }]);
});

test("a dropped database is gone although a client is connected", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  client.on("error", () => undefined);
  await client.connect();
  await database.drop();
  await expect(ask(database.url, "SELECT 1")).rejects.toThrow(/does not exist/);
  await client.end().catch(() => undefined);
});
