import { randomBytes } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sql } from "kysely";
import pg from "pg";
import { openDatabase } from "../../database/connection.js";
import type { Db } from "../../database/database.js";
import { forOperation } from "../../database/lists/operation-db.js";
import { LEASE_MS, readServedPoint } from "../../database/queries/state-readiness.js";
import { ChainTag } from "../../schema/services/chain-tag.js";
import { createMigratedDatabase, type TestDatabase } from "../support/database.js";

let database: TestDatabase;
let db: Db;
let writer: pg.Client;

beforeAll(async () => {
  database = await createMigratedDatabase();
  db = openDatabase({ url: database.url, poolSize: 3 });
  writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
  await writer.query(
    `insert into head (id, height, hash, score, finalized_epoch, finalized_point, finalized_height, finalized_hash, event_sequence)
     values (1, 1, $1, 1, 0, 0, 0, $1, 0)`,
    [Buffer.alloc(32)],
  );
});
afterAll(async () => {
  await writer?.end();
  await db?.destroy();
  await database?.drop();
});

async function hasLease(): Promise<boolean | undefined> {
  return (await readServedPoint(db))?.hasLease;
}

test("a lease serves until it ends, and is renewed while it is used", async () => {
  let statements = 0;
  const watched = forOperation(db, { onStatement: () => (statements += 1), onRows: () => undefined });
  let now = 1_000;
  const tag = new ChainTag(watched, "1", () => now);
  const first = await tag.current(false);
  expect(statements).toBe(1);

  now += LEASE_MS / 2;
  expect(await tag.current(false)).toBe(first);
  let atOnce: string | undefined;
  tag.whenCurrent(true, (_error, found) => {
    atOnce = found;
  });
  expect(atOnce).toBe(first);
  expect(statements).toBe(1);

  // Renewed by whom it serves shortly before its end, without waiting for it.
  now += LEASE_MS / 4;
  expect(await tag.current(false)).toBe(first);
  expect(statements).toBe(2);
  await tag.recent(false);
  now += LEASE_MS / 2;
  expect(await tag.current(false)).toBe(first);
  expect(statements).toBe(2);

  now += LEASE_MS;
  await tag.current(false);
  expect(statements).toBe(3);
});

test("once a change of the head is committed, no reader finds the head before it", async () => {
  const hashes = Array.from({ length: 60 }, () => randomBytes(32));
  const places = new Map(hashes.map((hash, place) => [hash.toString("hex").slice(0, 32), place]));
  let committed = -1;
  let isOver = false;
  const stale: string[] = [];
  let found = 0;
  const read = async (): Promise<void> => {
    const tag = new ChainTag(db, "1");
    while (!isOver) {
      const atLeast = committed;
      const place = places.get((await tag.current(false))?.split("-")[1] ?? "") ?? -1;
      if (place < atLeast) stale.push(`${place} after the commit of ${atLeast}`);
      found += 1;
      if (found % 10 === 0) await turn();
    }
  };
  const readers = [read(), read()];
  try {
    for (const [place, hash] of hashes.entries()) {
      // In turns: a single statement; a transaction that revokes leases first; one that waits before it ends.
      if (place % 3 === 0) await writer.query("update head set hash = $1", [hash]);
      else {
        await writer.query("begin");
        if (place % 3 === 1) await writer.query("select revoke_head_leases()");
        await writer.query("update head set hash = $1", [hash]);
        await writer.query("commit");
      }
      committed = place;
    }
  } finally {
    isOver = true;
    await Promise.all(readers);
  }
  expect(stale).toEqual([]);
  expect(found).toBeGreaterThan(1_000);
});

test("no lease is granted while a transaction moves the head; its end, or its rollback, allows leases again", async () => {
  for (const end of ["commit", "rollback"]) {
    expect(await hasLease()).toBe(true);
    await writer.query("begin");
    await writer.query("update head set event_sequence = event_sequence + 1");
    expect(await hasLease()).toBe(true);
    await writer.query("select revoke_head_leases()");
    expect(await hasLease()).toBe(false);
    await writer.query("update head set hash = sha256(hash)");
    expect(await hasLease()).toBe(false);
    await writer.query(end);
  }
  expect(await hasLease()).toBe(true);
});

test.each([
  "update head set finalized_epoch = finalized_epoch + 1",
  "update head set finalized_point = finalized_point + 1",
  "delete from head",
  "truncate head",
  "insert into head select * from head where false",
  "insert into pending_states (kind, key, height) values (0, '', 1)",
  "update pending_states set unknown_version = null",
  "delete from pending_states",
  "truncate pending_states",
])("leases are revoked by: %s", async (statement) => {
  await writer.query("begin");
  await writer.query(statement);
  const { rows } = await writer.query("select current_setting('symbol_gateway.leases_revoked', true) as since");
  expect(Number(rows[0].since)).toBeGreaterThan(1_700_000_000);
  await writer.query("rollback");
});

test("a transaction does not wait longer when the clock of the server was set back by an hour", async () => {
  await writer.query("begin");
  try {
    await writer.query("set local statement_timeout = '10s'");
    await writer.query("select revoke_head_leases()");
    await writer.query(
      "select set_config('symbol_gateway.leases_revoked', (extract(epoch from clock_timestamp()) + 3600)::text, true)",
    );
    await writer.query("update head set hash = sha256(hash)");
  } finally {
    await writer.query("rollback");
  }
});

test("no lease is granted where the head could be read as of before the lock", async () => {
  await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (trx) => {
      const { rows } = await sql<{ has_lease: boolean }>`select has_lease from served_point()`.execute(trx);
      expect(rows).toEqual([{ has_lease: false }]);
    });
});
