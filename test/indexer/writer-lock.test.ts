import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { sql } from "kysely";
import pg from "pg";
import { BlockRange } from "../../indexer/chain/step/block-range.js";
import { HeadMovedError } from "../../indexer/chain/step/errors.js";
import { insertHead } from "../../indexer/chain/step/network.js";
import { RangeWriter } from "../../indexer/chain/write/write.js";
import { acquireWriterLock } from "../../indexer/writer.js";
import { silentLog } from "../support/connection-fixtures.js";
import { indexContext } from "../support/index-context.js";
import { IndexedDatabase } from "../support/indexer-fixture.js";
import { LogLines } from "../support/log-lines.js";
import { OWN_CONNECTIONS, OWN_LOCKS } from "../support/own-catalogues.js";
import { urlOfReader } from "../support/reader-user.js";
import { isWithin, until } from "../support/until.js";

/** Numbers of advisory locks, which any role may take. */
const LOCKS_OF_EARLIER = { writesIndex: 7_300_190_055, deliversWebhooks: 7_300_190_056 };

describe("the one writer", () => {
  let index: IndexedDatabase;
  const stop = new AbortController();

  beforeEach(async () => {
    index = await IndexedDatabase.create();
  });
  afterEach(() => index.drop());

  const acquire = () => acquireWriterLock({ databaseUrl: index.url, log: silentLog, signal: stop.signal, pollMs: 10 });

  test("a second one waits until the first releases the lock", async () => {
    const first = await acquire();
    let taken = false;
    const second = acquire().then((lock) => {
      taken = true;
      return lock;
    });
    expect(await isWithin(100, () => taken)).toBe(false);
    await first?.release();
    await (await second)?.release();
    expect(taken).toBe(true);
  });

  test("a lock whose connection was cut is lost, and reported", async () => {
    const lock = await acquire();
    const lost = new Promise<void>((resolve) => lock?.lost.addEventListener("abort", () => resolve()));
    const admin = new pg.Client({ connectionString: index.url });
    await admin.connect();
    await admin.query(
      `select pg_terminate_backend(pid) from ${OWN_CONNECTIONS} where application_name = 'symbol-gateway writer lock'`,
    );
    await lost;
    expect(lock?.lost.aborted).toBe(true);
    await admin.end();
    await lock?.release();
  });

  test("a role that can only read cannot keep the lock from a writer", async () => {
    const reader = new pg.Client({ connectionString: await urlOfReader(index.url) });
    await reader.connect();
    try {
      for (const lock of Object.values(LOCKS_OF_EARLIER)) await reader.query("select pg_advisory_lock($1)", [lock]);
      for (const mode of ["share update exclusive", "access share"]) {
        await reader.query("begin");
        await expect(reader.query(`lock table index_writer in ${mode} mode`)).rejects.toThrow(/permission denied/);
        await reader.query("rollback");
      }
      const lock = await acquire();
      await lock?.release();
    } finally {
      await reader.end();
    }
  });

  test("who waits says who has the lock, which keeps no rows from a vacuum", async () => {
    const first = await acquire();
    const log = new LogLines();
    const waiting = new AbortController();
    const second = acquireWriterLock({ databaseUrl: index.url, log: log.logger, signal: waiting.signal, pollMs: 10 });
    await log.waitFor(/Another indexer writes to this database/);
    const [line] = log.matching(/Another indexer/).map((text) => JSON.parse(text));
    // Its connection has a snapshot only while a statement runs.
    const holders = sql<{ pid: number }>`
      select pid from ${sql.raw(OWN_LOCKS)} join ${sql.raw(OWN_CONNECTIONS)} using (pid)
      where relation = 'index_writer'::regclass and mode = 'ShareUpdateExclusiveLock' and granted
        and backend_xid is null and backend_xmin is null`;
    const isHeld = async () => (await holders.execute(index.db)).rows.some(({ pid }) => pid === line.holder.pid);
    await until(isHeld, "the holder keeps no rows from a vacuum");
    expect(line.holder).toMatchObject({ application: "symbol-gateway writer lock", role: expect.any(String) });
    waiting.abort();
    expect(await second).toBeUndefined();
    await first?.release();
  });

  test("a writer that is not at the position of the head row writes nothing", async () => {
    const network = { identifier: 152, generationHashSeed: Buffer.alloc(32) };
    const writer = new RangeWriter(indexContext(index.db, network));
    const range = new BlockRange({ height: 7, hash: Buffer.alloc(32, 7), timestamp: 0, score: 0n });
    await expect(writer.write(range)).rejects.toThrow(HeadMovedError);
    await insertHead(index.db, network);
    await expect(writer.write(range)).rejects.toThrow(/is at 0 .* not at 7/);
  });
});
