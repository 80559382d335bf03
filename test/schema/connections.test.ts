import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import { readRows } from "../../database/binary/driver.js";
import { bytea, int4, RowType } from "../../database/binary/rows.js";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { EncryptedRelay } from "../support/encrypted-relay.js";

const TEXT = new RowType({ text: bytea });
const ONE = new RowType({ one: int4 });
const CONNECTIONS = 4;
const READS = 40;

describe.each(["plain", "encrypted"])("a connection that is %s", (kind) => {
  let database: TestDatabase;
  let relay: EncryptedRelay | undefined;
  let db: Db;

  beforeAll(async () => {
    database = await createTestDatabase();
    relay = kind === "encrypted" ? await new EncryptedRelay(database.url).open() : undefined;
    db = openDatabase({
      url: relay?.url(database.url, "no-verify") ?? database.url,
      poolSize: CONNECTIONS,
      onError: () => undefined,
    });
  });

  afterAll(async () => {
    await db?.destroy();
    await relay?.close();
    await database?.drop();
  });

  test("keeps what it has received while it and others receive more", async () => {
    const text = (read: number, row: number) => `read ${read}, row ${row}; `.repeat(1 + row * row);
    const reads: { text: Buffer }[][] = [];
    // No read waits for a connection, which has a limit.
    const readers = Array.from({ length: CONNECTIONS }, async (_, first) => {
      for (let read = first; read < READS; read += CONNECTIONS) {
        const rows = sql`select convert_to(repeat('read ' || ${read}::int4 || ', row ' || n || '; ', 1 + n * n), 'UTF8')
          from generate_series(0, 80) n`;
        reads[read] = await readRows(db, TEXT, rows);
      }
    });
    await Promise.all(readers);
    const { rows } = await sql<{ whole: string }>`select repeat('whole ', 50000) as whole`.execute(db);
    expect(rows[0]?.whole).toBe("whole ".repeat(50_000));
    for (const [read, found] of reads.entries())
      expect(found.map((row) => row.text.toString())).toEqual(Array.from({ length: 81 }, (_, row) => text(read, row)));
    expect(relay?.encrypted).toBe(relay && CONNECTIONS);
  });

  test("that the server closes is replaced", async () => {
    const lost = readRows(db, ONE, sql`select pg_terminate_backend(pg_backend_pid()), pg_sleep(${10})`);
    await expect(lost).rejects.toThrow();
    expect((await readRows(db, ONE, sql`select ${1}::int4`))[0]?.one).toBe(1);
  });
});

test("a server with a certificate that is not trusted is rejected, if the URL asks for that", async () => {
  const database = await createTestDatabase();
  const relay = await new EncryptedRelay(database.url).open();
  const db = openDatabase({ url: relay.url(database.url, "verify-full") });
  await expect(readRows(db, ONE, sql`select ${1}::int4`)).rejects.toThrow("self-signed certificate");
  await db.destroy();
  await relay.close();
  await database.drop();
});
